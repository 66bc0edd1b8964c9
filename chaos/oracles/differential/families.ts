import type { Commit } from '../../invariants/invariant.ts';
import type { Canon } from './canonical.ts';

/** Returns the family of an object, which is named by its canonical name. */
export type FamilyOf = (name: string) => string;

/** Resources whose objects depend on each other by selection and not by name. */
const SELECTED: ReadonlySet<string> = new Set(['/secrets', '/configmaps']);

interface Mentions {
  readonly resource: string;
  readonly namespace: string;
  readonly texts: Set<string>;
  readonly names: Set<string>;
  readonly uids: Set<string>;
  /** True if a user changed the object or it was deleted. It then influences the objects that mention it. */
  isDisturbed: boolean;
}

/**
 * Groups the objects of two runs into families. Objects of different families do not influence each other.
 *
 * Objects that mention a changing object by name or uid belong to the family of that object. Cluster-scoped
 * objects of one kind are one family, and so are all objects in a namespace that is deleted.
 * @param selecting namespaces in which controllers select Secrets by their type for ConfigMaps, as bootstrap
 * tokens for cluster-info; all these objects are one family
 */
export function groupIntoFamilies(
  runs: readonly (readonly [Canon, readonly Commit[]])[],
  selecting: readonly string[] = [],
): FamilyOf {
  const { find, join } = createUnion();
  const objects = new Map<string, Mentions>();
  const ended = new Set<string>();
  for (const [canon, commits] of runs) {
    for (const commit of commits) {
      const { actor, resource, namespace, name, uid, before, after } = commit;
      const canonical = canon.nameOf(commit);
      const known = objects.get(canonical) ?? {
        resource,
        namespace,
        texts: new Set(),
        names: new Set(),
        uids: new Set(),
        isDisturbed: false,
      };
      objects.set(canonical, known);
      known.names.add(name);
      known.uids.add(uid);
      collectTexts(after ?? before, known.texts);
      if (
        resource === '/namespaces' &&
        (after === undefined || after.metadata?.deletionTimestamp !== undefined)
      )
        ended.add(name);
      known.isDisturbed ||= after === undefined || (actor === 'user' && before !== undefined);
    }
  }
  const byName = new Map<string, string[]>();
  for (const [canonical, { names, uids }] of objects)
    for (const name of [...names, ...uids]) byName.set(name, [...(byName.get(name) ?? []), canonical]);
  for (const [canonical, { resource, namespace, texts }] of objects) {
    if (namespace === '') join(canonical, `every ${resource}`);
    if (selecting.includes(namespace) && SELECTED.has(resource)) join(canonical, 'selected by type');
    const ends = namespace === '' ? canonical.replace(/^.*\//, '') : namespace;
    if (ended.has(ends) && (namespace !== '' || resource === '/namespaces'))
      join(canonical, `namespace ${ends}`);
    for (const text of texts)
      for (const other of byName.get(text) ?? []) {
        const { namespace: there, isDisturbed = false, uids } = objects.get(other) ?? {};
        const isNear = there === namespace || there === '' || namespace === '';
        // An object that does not change, such as the ServiceAccount of all pods, connects only the objects
        // that it owns.
        if (isNear && (isDisturbed || uids?.has(text))) join(canonical, other);
      }
  }
  return find;
}

function createUnion() {
  const parents = new Map<string, string>();
  const find = (name: string): string => {
    let root = name;
    for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up;
    return root;
  };
  return {
    find,
    join(a: string, b: string): void {
      const [left, right] = [find(a), find(b)];
      if (left !== right) parents.set(left, right);
    },
  };
}

/** Metadata whose values name the object itself or its namespace. */
const OWN: ReadonlySet<string> = new Set(['name', 'namespace', 'uid', 'managedFields', 'generateName']);

function collectTexts(object: unknown, texts: Set<string>, field = ''): void {
  if (typeof object === 'string') texts.add(object);
  else if (Array.isArray(object)) for (const each of object) collectTexts(each, texts);
  else if (typeof object === 'object' && object !== null)
    for (const [name, value] of Object.entries(object))
      if (field !== 'metadata' || !OWN.has(name)) collectTexts(value, texts, field === '' ? name : 'inner');
}
