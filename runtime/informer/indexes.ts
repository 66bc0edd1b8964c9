import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';

/** Name and function of an index, the arguments of `informer.index(...)`. */
export type IndexDeclaration = readonly [
  name: string,
  values: (object: DeepReadonly<ApiObject>) => readonly string[],
];

/**
 * Index of objects by the uids of their owners: `informer.index(...ownerIndex)`, then `store.byIndex('owner',
 * uid)`.
 */
export const ownerIndex: IndexDeclaration = [
  'owner',
  (object) => (object.metadata?.ownerReferences ?? []).map(({ uid }) => uid),
];

/**
 * Returns an index of objects by the value of a label: `informer.index(...labelIndex('app'))`, then
 * `store.byIndex('label app', 'web')`.
 */
export const labelIndex = (label: string): IndexDeclaration => [
  `label ${label}`,
  (object) => {
    const value = object.metadata?.labels?.[label];
    return value === undefined ? [] : [value];
  },
];
