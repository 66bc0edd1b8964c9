import type { Invariant } from '../invariants/invariant.ts';
import type { Any, ApiRequest } from './api-request.ts';
import type { ControllerModel, Read } from './controller-model.ts';
import { createLookUp } from './caches.ts';
import type { Footprint, Waking } from './footprint.ts';
import { disagreement } from './agreement.ts';
import { rememberedOf } from './lessons.ts';
import { type ModelServer, storeKey } from './model-store.ts';
import type { Lesson } from './world.ts';
import { textOf } from './text.ts';

export interface ApartOptions {
  readonly model: ControllerModel;
  readonly server: ModelServer;
  readonly invariants: readonly Invariant[];
  /** What the groups have taught each other all along. Default nothing. */
  readonly lessons?: readonly Lesson[];
}

/**
 * Whether what was explored apart is all that there is together. Where nothing that one group's passes, watches, requests
 * or users read or write is the other's, each of the two does in a world with both what it does alone, whatever the order:
 * a run of both is a run of each, and what strikes a process strikes both. And where each invariant, asked about any state
 * of the one beside any of the other, says what it said of each, nothing is broken together that is not alone.
 *
 * Gives the first thing in which two groups meet; undefined when they do not.
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

/** What `one` reads, writes or remembers that is `other`'s. */
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
      return `both remember ${key ?? 'in one place'}`;
  for (const key of one.wished)
    if (key === undefined ? other.objects.size > 0 : other.objects.has(key))
      return `a user looks at ${key ?? 'all there is'}`;
  for (const read of one.reads.values())
    if (isMet(read, other, model, server)) return `a pass reads ${textOf(read)}`;
  for (const request of one.requests.values())
    if (isAbout(request, other, server)) return `a request is about others: ${textOf(request).slice(0, 200)}`;
  return undefined;
}

/** A change that brings up other keys where the caches hold what is `other`'s too. */
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
    if (read) return `what a change brings up reads ${textOf(read)}`;
    for (const each of others ?? [])
      if (namesOf(keysOf(waking, each)) !== namesOf([...waking.keys, ...each.keys]))
        return `a change of ${model.followed[waking.informer]?.kind.plural ?? ''} brings up others where there are both`;
  }
  return undefined;
}

/** The keys that a change brings up where the caches hold the objects of both. */
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

/** What has brought up keys, the same for groups that share it. */
const causeOf = ({ informer, heard, nowMs }: Waking): string => `${informer} ${nowMs} ${textOf(heard)}`;

const statesOf = ({ objects }: Footprint, resource: string): readonly Any[] =>
  [...objects].flatMap(([key, states]) => (key.startsWith(`${resource} `) ? [...states] : []));

/** Whether a read of a cache finds anything of `other`. */
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

/** Whether a request finds, or makes, anything of `other`. */
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
    // Whether something may be made is asked of its namespace.
    (verb === 'create' && other.objects.has(storeKey('/namespaces', '', namespace)))
  );
}

function isListed(request: ApiRequest, object: Any, server: ModelServer): boolean {
  const { name = '', namespace = '' } = object.metadata ?? {};
  const store = { objects: { [storeKey(request.resource, namespace, name)]: object }, births: {} };
  const { answer } = server.handle(store, { ...request, verb: 'list' }, 0);
  return 'ok' in answer && (answer.ok as { readonly items: readonly unknown[] }).items.length > 0;
}
