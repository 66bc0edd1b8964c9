import type { Invariant } from '../invariants/invariant.ts';
import type { Any, ApiRequest } from './api-request.ts';
import type { ControllerModel, Read } from './controller-model.ts';
import { createLookUp } from './caches.ts';
import type { Footprint, Waking } from './footprint.ts';
import { disagreement } from './agreement.ts';
import { rememberedOf } from './lessons.ts';
import { type ModelServer, storeKey } from './model-store.ts';
import type { Lesson } from './scenario.ts';
import { textOf } from './text.ts';

export interface ApartOptions {
  readonly model: ControllerModel;
  readonly server: ModelServer;
  readonly invariants: readonly Invariant[];
  /** Memory entries that one group may learn from another; default none. */
  readonly lessons?: readonly Lesson[];
}

/**
 * Returns a description of the first dependency between groups that were explored separately; undefined if
 * the groups are independent.
 *
 * Groups are independent if no read, write, watch or user action of one group involves objects of another.
 * Every joint run is then an interleaving of separate runs, because process faults affect all groups alike.
 * In addition, the result of every invariant for joint states must follow from its results for each group.
 */
export function interplayOf(footprints: readonly Footprint[], options: ApartOptions): string | undefined {
  for (const [at, one] of footprints.entries())
    for (const other of footprints.slice(at + 1)) {
      const found =
        touch(one, other, options) ??
        touch(other, one, options) ??
        wake(one, other, options) ??
        wake(other, one, options) ??
        disagreement(one, other, options.invariants);
      if (found !== undefined) return found;
    }
  return undefined;
}

/**
 * Returns the first read, request or memory entry of `one` that involves `other`; undefined if there is none.
 */
function touch(
  one: Footprint,
  other: Footprint,
  { model, server, lessons = [] }: ApartOptions,
): string | undefined {
  for (const key of one.keys) if (other.keys.has(key)) return `both work on ${key}`;
  for (const key of one.objects.keys()) if (other.objects.has(key)) return `both have ${key}`;
  const remembered = rememberedOf(other, lessons);
  for (const key of rememberedOf(one, lessons))
    if (key === undefined ? remembered.size > 0 : remembered.has(key))
      return `both remember ${key ?? 'entries of one container'}`;
  for (const key of one.wished)
    if (key === undefined ? other.objects.size > 0 : other.objects.has(key))
      return `a user action reads ${key ?? 'all objects'}`;
  for (const read of one.reads.values())
    if (isMet(read, other, model, server)) return `a reconcile reads ${textOf(read)}`;
  for (const request of one.requests.values())
    if (isAbout(request, other, server))
      return `a request concerns the other group: ${textOf(request).slice(0, 200)}`;
  return undefined;
}

/**
 * Returns the first change that enqueues other keys if the caches also contain the objects of `other`;
 * undefined if there is none.
 */
function wake(one: Footprint, other: Footprint, { model, server }: ApartOptions): string | undefined {
  const keysOf = createKeysOf(model);
  const beside = new Map<string, Waking[]>();
  for (const waking of other.wakings.values()) {
    const cause = causeOf(waking);
    beside.set(cause, [...(beside.get(cause) ?? []), waking]);
  }
  for (const waking of one.wakings.values()) {
    const others = beside.get(causeOf(waking));
    const read = others ? undefined : waking.reads.find((each) => isMet(each, other, model, server));
    if (read) return `the keys of a change depend on ${textOf(read)}`;
    for (const each of others ?? [])
      if (namesOf(keysOf(waking, each)) !== namesOf([...waking.keys, ...each.keys]))
        return `a change of ${model.followed[waking.informer]?.kind.plural ?? ''} enqueues other keys if both groups exist`;
  }
  return undefined;
}

/**
 * Creates a function that returns the keys which a change enqueues if the caches contain the objects of both
 * groups.
 */
function createKeysOf(model: ControllerModel) {
  const lookUp = createLookUp(model);
  return ({ informer, heard, views, nowMs }: Waking, other: Waking): readonly string[] => {
    const both = views.map((view, at) => ({
      ...view,
      objects: { ...view.objects, ...other.views[at]?.objects },
    }));
    const exit = model.enter({
      read: (query) => lookUp(both, query, nowMs),
      ask: () => new Promise(() => {}),
      enqueue: () => {},
      touch: () => {},
    });
    try {
      return heard.flatMap((change) => model.keysOf(informer, change));
    } finally {
      exit();
    }
  };
}

const namesOf = (keys: readonly string[]): string => [...new Set(keys)].sort().join();

/** Returns the identity of a change. It is equal in two groups that share the change. */
const causeOf = ({ informer, heard, nowMs }: Waking): string => `${informer} ${nowMs} ${textOf(heard)}`;

const statesOf = ({ objects }: Footprint, resource: string): readonly Any[] =>
  [...objects].flatMap(([key, states]) => (key.startsWith(`${resource} `) ? [...states] : []));

/** True if a cache read returns an object of `other`. */
function isMet(read: Read, other: Footprint, model: ControllerModel, server: ModelServer): boolean {
  if (read.of === 'now') return false;
  const followed = model.followed[read.informer];
  if (!followed) return true;
  const { resource, kind, scope } = followed;
  if (read.of === 'get')
    return other.objects.has(`${resource} ${read.key.includes('/') ? read.key : `/${read.key}`}`);
  return statesOf(other, resource).some(
    (object) =>
      server.selects(kind, object, scope) &&
      (read.of === 'list' || model.indexValues(read.informer, read.index, object).includes(read.value)),
  );
}

/** True if a request reads, writes or creates an object of `other`. */
function isAbout(request: ApiRequest, other: Footprint, server: ModelServer): boolean {
  const { verb, resource, namespace, name } = request;
  if (verb === 'raw') return false;
  if (verb === 'list' || verb === 'deletecollection')
    return statesOf(other, resource).some((object) => isListed(request, object, server));
  return (
    (request.while ?? []).some((each) =>
      other.objects.has(storeKey(each.resource, each.namespace, each.name)),
    ) ||
    other.objects.has(storeKey(resource, namespace, name)) ||
    // A create depends on the namespace of its object.
    (verb === 'create' && other.objects.has(storeKey('/namespaces', '', namespace)))
  );
}

function isListed(request: ApiRequest, object: Any, server: ModelServer): boolean {
  const { name = '', namespace = '' } = object.metadata ?? {};
  const store = { objects: { [storeKey(request.resource, namespace, name)]: object }, births: {} };
  const { answer } = server.handle(store, { ...request, verb: 'list' }, 0);
  return 'ok' in answer && (answer.ok as { readonly items: readonly unknown[] }).items.length > 0;
}
