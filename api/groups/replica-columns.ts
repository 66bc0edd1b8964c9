import { ageColumn, column, nameColumn } from '../kinds/columns.ts';
import type { ApiObject, Column, DeepReadonly } from '../kinds/kind.ts';

/** A column that holds a number. */
export const countColumn = <T extends ApiObject>(
  name: string,
  count: (object: DeepReadonly<T>) => number | undefined,
  description?: string,
): Column<T> => ({ ...column<T>(name, (object) => count(object) ?? 0, description), type: 'integer' });

interface Replicated extends ApiObject {
  spec?: { replicas?: number };
  status?: { replicas?: number; readyReplicas?: number };
}

/** The columns of what keeps a number of pods running. */
export const replicaColumns: readonly Column<Replicated>[] = [
  nameColumn,
  countColumn<Replicated>('Desired', ({ spec }) => spec?.replicas),
  countColumn<Replicated>('Current', ({ status }) => status?.replicas),
  countColumn<Replicated>('Ready', ({ status }) => status?.readyReplicas),
  ageColumn,
];
