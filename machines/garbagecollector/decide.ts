/**
 * Input of one decision about an object, as plain JSON. It is read from the caches; owners are also read from
 * the API.
 */
export interface ObservedObject {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  /** True if the object has the finalizer `orphan`, so its dependents must outlive it. */
  readonly orphaning: boolean;
  /** True if the object has the finalizer `foregroundDeletion`, so its dependents are deleted first. */
  readonly foreground: boolean;
  /** Number of owners that exist or whose absence is not proved. */
  readonly solid: number;
  /**
   * True if the API returned an owner that the caches lack. If this owner is deleted before the caches
   * receive it, no event reports the deletion.
   */
  readonly unseen: boolean;
  /**
   * Time for which the cache of an owner that the caches lack has been unable to follow the API, in
   * milliseconds.
   */
  readonly behindMs: number;
  /** Uids of owners that do not exist according to the API, or whose name belongs to another object. */
  readonly dangling: readonly string[];
  /** Uids of owners that wait for their dependents to be deleted. */
  readonly waiting: readonly string[];
  /** True if an owner reference of the object blocks the deletion of its owner. */
  readonly blocksOwner: boolean;
  /**
   * True if a dependent waits for its own dependents. False, like `hasDependents`, unless this object is
   * being deleted or an owner waits.
   */
  readonly dependentsWait: boolean;
  readonly hasDependents: boolean;
  /**
   * Keys of dependents that block the foreground deletion of this object and do not wait for other
   * dependents.
   */
  readonly blocking: readonly string[];
  /**
   * True if the deletion is blocked by dependents that wait for other dependents. Each of them causes an
   * event when it is deleted.
   */
  readonly blockedByWaiting: boolean;
  /**
   * True if one of the dependents in `blockedByWaiting` waits for this object, directly or indirectly.
   * Without intervention, none of them would ever be deleted.
   */
  readonly blocksItself: boolean;
}

export type Propagation = 'Orphan' | 'Background' | 'Foreground';

/** Decision of one reconcile. Each step has a state in the machine. */
export type Decision =
  | { readonly step: 'nothing' }
  /** Does nothing, and decides again after `afterMs` milliseconds. */
  | { readonly step: 'recheck'; readonly afterMs: number }
  /** Removes this object from the owner references of its dependents, then removes the finalizer `orphan`. */
  | { readonly step: 'orphan' }
  /** Removes the finalizer `foregroundDeletion`, because no dependent blocks. */
  | { readonly step: 'unblock' }
  /**
   * Removes `blockOwnerDeletion` from the owner references of this object, because it and one of its owners
   * wait for each other.
   */
  | { readonly step: 'break circle' }
  /** Enqueues the blocking dependents and waits for their events. */
  | { readonly step: 'wait'; readonly keys: readonly string[] }
  /** Removes references to owners that do not exist or are being deleted, because another owner exists. */
  | { readonly step: 'release'; readonly owners: readonly string[] }
  | { readonly step: 'delete'; readonly propagation: Propagation; readonly breakCircle: boolean };

/**
 * Minimum delay of a recheck in milliseconds. A cache that lacks an object from the API has usually received
 * it by then.
 */
const UNSEEN_MS = 4_000;
/** Maximum delay of a recheck in milliseconds. */
const MAX_UNSEEN_MS = 5 * 60_000;

/** Decides the step for an object. Pure. Never deletes an object that has a solid owner. */
export function decide(object: ObservedObject): Decision {
  if (object.deleting) return decideDeleting(object);
  const { solid, unseen, behindMs, dangling, waiting } = object;
  if (solid > 0 && dangling.length + waiting.length > 0)
    return { step: 'release', owners: [...dangling, ...waiting] };
  // A recheck reads the API once for each owner that the caches lack, so the interval doubles.
  if (unseen) return { step: 'recheck', afterMs: Math.min(Math.max(behindMs, UNSEEN_MS), MAX_UNSEEN_MS) };
  if (solid > 0) return { step: 'nothing' };
  if (dangling.length + waiting.length === 0) return { step: 'nothing' };
  if (waiting.length > 0 && object.hasDependents)
    // If dependents wait too, the references may form a cycle in which every object blocks another object.
    return {
      step: 'delete',
      propagation: 'Foreground',
      breakCircle: object.dependentsWait && object.blocksOwner,
    };
  return {
    step: 'delete',
    propagation: object.orphaning ? 'Orphan' : object.foreground ? 'Foreground' : 'Background',
    breakCircle: false,
  };
}

function decideDeleting(object: ObservedObject): Decision {
  const { orphaning, foreground, blocking, blockedByWaiting, blocksItself } = object;
  if (orphaning) return { step: 'orphan' };
  if (!foreground) return { step: 'nothing' };
  if (blocksItself) return { step: 'break circle' };
  // Waiting dependents are not enqueued: two that wait for each other would enqueue each other endlessly.
  return blocking.length > 0 || blockedByWaiting ? { step: 'wait', keys: blocking } : { step: 'unblock' };
}
