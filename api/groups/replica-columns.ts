import { ageColumn, column, nameColumn } from '../kinds/columns.ts';
import type { ApiObject, Column, DeepReadonly } from '../kinds/kind.ts';

/** Returns an integer column. */
export const countColumn = <T extends ApiObject>(
  name: string,
  count: (object: DeepReadonly<T>) => number | undefined,
  description?: string,
): Column<T> => ({ ...column<T>(name, (object) => count(object) ?? 0, description), type: 'integer' });

interface Replicated extends ApiObject {
  spec?: { replicas?: number };
  status?: { replicas?: number; readyReplicas?: number };
}

/**
 * Returns the columns of a kind that controls a number of pods. `of` is the name of the kind, `page` the
 * address of its documentation.
 */
export const replicaColumns = (of: string, page: string): readonly Column<Replicated>[] => [
  nameColumn,
  countColumn<Replicated>(
    'Desired',
    ({ spec }) => spec?.replicas,
    `Replicas is the number of desired replicas. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: ${page}`,
  ),
  countColumn<Replicated>(
    'Current',
    ({ status }) => status?.replicas,
    `Replicas is the most recently oberved number of replicas. More info: ${page}`,
  ),
  countColumn<Replicated>(
    'Ready',
    ({ status }) => status?.readyReplicas,
    `The number of ready replicas for this ${of}.`,
  ),
  ageColumn,
];
