import { ageColumn, nameColumn } from '../kinds/columns.ts';
import type { ApiObject, Column, DeepReadonly } from '../kinds/kind.ts';

/** A column that holds a number. */
export const countColumn = <T extends ApiObject>(
  name: string,
  count: (object: DeepReadonly<T>) => number | undefined,
): Column<T> => ({ name, type: 'integer', cell: (object) => count(object) ?? 0 });

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
