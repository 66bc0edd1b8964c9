import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';

/** Name and function of an index, for `informer.index(...)`. */
export type IndexDeclaration = readonly [
  name: string,
  values: (object: DeepReadonly<ApiObject>) => readonly string[],
];

/** Finds objects by any of their owners: `informer.index(...ownerIndex)`, then `store.byIndex('owner', uid)`. */
export const ownerIndex: IndexDeclaration = [
  'owner',
  (object) => (object.metadata?.ownerReferences ?? []).map(({ uid }) => uid),
];

/** Finds objects by the value of a label: `informer.index(...labelIndex('app'))`, then `store.byIndex('label app', 'web')`. */
export const labelIndex = (label: string): IndexDeclaration => [
  `label ${label}`,
  (object) => {
    const value = object.metadata?.labels?.[label];
    return value === undefined ? [] : [value];
  },
];
