import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import {
  type DeleteInput,
  type ObservedObject,
  type ReleaseInput,
  type RemoveFinalizerInput,
  type Target,
  type WakeInput,
  garbageCollectorMachine,
} from '../../machines/garbagecollector/index.ts';
import {
  type ControllerContext,
  type ControllerDefinition,
  type Effects,
  type ResourceClient,
  type Watch,
  watch,
} from '../../runtime/index.ts';
import { unlessNotFound } from '../absence.ts';
import { implement } from '../implement.ts';
import { FOREGROUND, type Followed, type Graph, ORPHAN, isWaiting } from './graph.ts';
import { type Following, follow } from './following.ts';
import { createOwners } from './owners.ts';
import { garbageCollectorManifest } from './manifest.ts';

type Any = DeepReadonly<ApiObject>;

/**
 * Default interval of discoveries in milliseconds. They are needed because an aggregated API server may
 * change its resources without any event.
 */
const REFRESH_MS = 5 * 60_000;

/**
 * Deletes objects whose owners were deleted, and executes foreground and orphan deletion. Reconciles nothing
 * before the caches of all followed resources are filled. Discovers the served resources every `refreshMs`
 * milliseconds.
 */
export function garbageCollectorController(refreshMs = REFRESH_MS): ControllerDefinition {
  const followings = new WeakMap<ControllerContext, Promise<Following>>();
  /** Returns the followed resources of one running collector, which its watches and its effects share. */
  const followingOf = (context: ControllerContext): Promise<Following> => {
    const known = followings.get(context);
    if (known) return known;
    const created = follow(context, (graph, followed) => watchOf(graph, followed), refreshMs);
    followings.set(context, created);
    return created;
  };
  return implement(garbageCollectorManifest, {
    machine: garbageCollectorMachine,
    watches: async (context) => {
      const { graph, first } = await followingOf(context);
      return first.map((followed) => watchOf(graph, followed));
    },
    effects: async (context) => createEffects(context, await followingOf(context)),
  });
}

/** Watches a resource. Enqueues objects that may need work, and the dependents of a deleted object. */
const watchOf = (graph: Graph, followed: Followed): Watch =>
  watch(followed.kind, {
    metadataOnly: true,
    keys: (object, previous) => {
      const key = graph.keyOf(followed, object);
      const { uid = '', namespace = '', finalizers = [], deletionTimestamp } = object.metadata ?? {};
      const { ownerReferences = [] } = object.metadata ?? {};
      const now = graph.find(key);
      const stored = now && followed.informer.store.get(key.slice(key.indexOf('/') + 1));
      const isDeleted = stored?.metadata?.uid !== uid;
      const replaced = previous?.metadata?.uid !== undefined && previous.metadata.uid !== uid;
      const own =
        ownerReferences.some((owner) => !graph.showsSolid(owner, namespace)) ||
        (deletionTimestamp !== undefined && (finalizers.includes(FOREGROUND) || finalizers.includes(ORPHAN)));
      const began = deletionTimestamp !== undefined && previous?.metadata?.deletionTimestamp === undefined;
      return [
        ...(own && !isDeleted ? [key] : []),
        ...(isDeleted || began ? graph.dependentsOf(object).map((each) => each.key) : []),
        ...(isDeleted || replaced || previous ? waitingOwners(graph, object, previous) : []),
      ];
    },
  });

/**
 * Returns the keys of owners that wait for this object, because it may have been the last that blocked them.
 */
function waitingOwners(graph: Graph, object: Any, previous: Any | undefined): readonly string[] {
  const uids = [object, previous].flatMap((each) =>
    (each?.metadata?.ownerReferences ?? []).filter((owner) => owner.blockOwnerDeletion).map(({ uid }) => uid),
  );
  if (uids.length === 0) return [];
  return uids.flatMap((uid) => graph.waiting(uid));
}

function createEffects({ client, enqueue }: ControllerContext, { graph, settled }: Following): Effects {
  const stateOf = createOwners(client, graph);
  const clientFor = (key: string): { objects: ResourceClient<ApiObject>; name: string } | undefined => {
    const found = graph.find(key);
    if (!found) return undefined;
    const { followed, namespace, name } = found;
    return {
      objects: followed.resource.namespaced
        ? client.namespaced(followed.kind, namespace)
        : client.cluster(followed.kind),
      name,
    };
  };
  /**
   * Patches exactly the object and version on which the decision was made. Does nothing if the object was
   * deleted.
   */
  const patchMetadata = async (
    key: string,
    target: Omit<Target, 'key'>,
    metadata: object,
    signal: AbortSignal,
  ) => {
    const found = clientFor(key);
    const fenced = { metadata: { uid: target.uid, resourceVersion: target.resourceVersion, ...metadata } };
    await found?.objects.patch(found.name, 'merge', fenced, { signal }).catch(unlessNotFound);
  };
  const ownersOf = (key: string, uid: string): readonly DeepReadonly<OwnerReference>[] => {
    const object = objectOf(graph, key);
    if (object?.metadata?.uid !== uid) throw new Error(`${key} has been replaced since it was observed`);
    return object.metadata.ownerReferences ?? [];
  };

  return {
    observe: async ({ key }: { key: string }, signal: AbortSignal): Promise<ObservedObject | null> => {
      await settled();
      const object = objectOf(graph, key);
      return object ? observe(graph, object, stateOf, signal) : null;
    },

    deleteObject: async ({ key, uid, resourceVersion, propagation }: DeleteInput, signal: AbortSignal) => {
      const found = clientFor(key);
      const preconditions = { uid, resourceVersion };
      await found?.objects
        .delete(found.name, { preconditions, propagationPolicy: propagation, signal })
        .catch(unlessNotFound);
    },

    release: ({ key, uid, resourceVersion, owners }: ReleaseInput, signal: AbortSignal) => {
      const kept = ownersOf(key, uid).filter((owner) => !owners.includes(owner.uid));
      return patchMetadata(key, { uid, resourceVersion }, { ownerReferences: kept }, signal);
    },

    breakCircle: ({ key, uid, resourceVersion }: Target, signal: AbortSignal) => {
      const loosened = ownersOf(key, uid).map((owner) => ({ ...owner, blockOwnerDeletion: false }));
      return patchMetadata(key, { uid, resourceVersion }, { ownerReferences: loosened }, signal);
    },

    orphanDependents: async ({ key: ownerKey, uid }: Target, signal: AbortSignal) => {
      const owner = objectOf(graph, ownerKey);
      if (owner?.metadata?.uid !== uid)
        throw new Error(`${ownerKey} has been replaced since it was observed`);
      for (const { key, object } of graph.allDependentsOf(owner)) {
        const { uid: own = '', resourceVersion = '', ownerReferences = [] } = object.metadata ?? {};
        const kept = ownerReferences.filter((owner) => owner.uid !== uid);
        await patchMetadata(key, { uid: own, resourceVersion }, { ownerReferences: kept }, signal);
      }
    },

    removeFinalizer: async (
      { key, uid, resourceVersion, finalizer }: RemoveFinalizerInput,
      signal: AbortSignal,
    ) => {
      const object = objectOf(graph, key);
      if (object?.metadata?.uid !== uid) return;
      const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
      await patchMetadata(key, { uid, resourceVersion }, { finalizers }, signal);
    },

    wake: async ({ keys }: WakeInput) => {
      for (const key of keys) enqueue(key);
    },
  };
}

function objectOf(graph: Graph, key: string): Any | undefined {
  return graph.find(key)?.followed.informer.store.get(key.slice(key.indexOf('/') + 1));
}

async function observe(
  graph: Graph,
  object: Any,
  stateOf: ReturnType<typeof createOwners>,
  signal: AbortSignal,
): Promise<ObservedObject> {
  const {
    uid = '',
    resourceVersion = '',
    namespace = '',
    finalizers = [],
    ownerReferences = [],
    deletionTimestamp,
  } = object.metadata ?? {};
  const deleting = deletionTimestamp !== undefined;
  const owners = deleting
    ? []
    : await Promise.all(
        ownerReferences.map(async (owner) => ({ owner, state: await stateOf(owner, namespace, signal) })),
      );
  const inState = (state: string): readonly string[] =>
    owners.filter((each) => each.state === state).map((each) => each.owner.uid);
  const waiting = inState('waiting');
  const unseen = owners.filter(({ state }) => state === 'unseen').map(({ owner }) => owner);
  const orphaning = finalizers.includes(ORPHAN);
  const foreground = finalizers.includes(FOREGROUND);
  const decides = (deleting && (orphaning || foreground)) || waiting.length > 0;
  const dependents = decides ? graph.allDependentsOf(object) : [];
  const blockers = dependents.filter((each) => blocks(each.object, uid));
  const blocksOwner = ownerReferences.some((owner) => owner.blockOwnerDeletion === true);
  return {
    uid,
    resourceVersion,
    deleting,
    orphaning,
    foreground,
    solid: inState('solid').length + unseen.length,
    unseen: unseen.length > 0,
    behindMs: Math.max(0, ...unseen.map((owner) => graph.behindMs(owner))),
    dangling: inState('dangling'),
    waiting,
    blocksOwner,
    dependentsWait: dependents.some((each) => isWaiting(each.object)),
    hasDependents: dependents.length > 0,
    blocking: blockers.filter((each) => !isWaiting(each.object)).map((each) => each.key),
    blockedByWaiting: blockers.some((each) => isWaiting(each.object)),
    blocksItself: isWaiting(object) && blocksOwner && waitsForItself(graph, object),
  };
}

const blocks = ({ metadata }: Any, ownerUid: string): boolean =>
  metadata?.ownerReferences?.some((owner) => owner.uid === ownerUid && owner.blockOwnerDeletion === true) ===
  true;

/** True if the object is part of a cycle of waiting objects in which each object blocks the next. */
function waitsForItself(graph: Graph, object: Any): boolean {
  const reached = new Set<string>();
  const open = [object];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const { uid: owner = '' } = each.metadata ?? {};
    for (const { object: dependent } of graph.dependentsOf(each)) {
      const { uid = '' } = dependent.metadata ?? {};
      if (reached.has(uid) || !isWaiting(dependent) || !blocks(dependent, owner)) continue;
      if (uid === object.metadata?.uid) return true;
      reached.add(uid);
      open.push(dependent);
    }
  }
  return false;
}
