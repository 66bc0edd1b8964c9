/**
 * Input of one decision about an object, as plain JSON, read from the caches and, for owners, from the API.
 */
export interface ObservedObject {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  /** True if the object has the finalizer `orphan`: its dependents outlive it. */
  readonly orphaning: boolean;
  /** True if the object has the finalizer `foregroundDeletion`: its dependents are deleted first. */
  readonly foreground: boolean;
  /** Number of owners that exist or whose absence is not proved. */
  readonly solid: number;
  /**
   * True if the API returned an owner that the caches lack. If that owner is deleted before it reaches them,
   * no event reports it.
   */
  readonly unseen: boolean;
  /** Time for which the cache of such an owner has been unable to follow the API, in milliseconds. */
  readonly behindMs: number;
  /** Uids of owners that do not exist according to the API, or whose name another object has. */
  readonly dangling: readonly string[];
  /** Uids of owners that wait for their dependents to be deleted. */
  readonly waiting: readonly string[];
  /** True if the object's references block the deletion of an owner. */
  readonly blocksOwner: boolean;
  /**
   * True if some dependent waits for its own dependents. Computed, like the next field, only while this
   * object is being deleted or an owner waits.
   */
  readonly dependentsWait: boolean;
  readonly hasDependents: boolean;
  /** Keys of dependents that block the foreground deletion of this object and do not wait themselves. */
  readonly blocking: readonly string[];
  /** True if dependents that wait themselves block the deletion. Each of them sends an event at its end. */
  readonly blockedByWaiting: boolean;
  /**
   * True if one of those dependents waits, directly or not, for this object, so that none of them would ever
   * be deleted.
   */
  readonly blocksItself: boolean;
}

export type Propagation = 'Orphan' | 'Background' | 'Foreground';

/** Decision of one reconcile; each step has its state in the machine. */
export type Decision =
  | { readonly step: 'nothing' }
  /** Does nothing now and decides again after `afterMs` milliseconds. */
  | { readonly step: 'recheck'; readonly afterMs: number }
  /** Removes this object from the owner references of its dependents, then removes the finalizer `orphan`. */
  | { readonly step: 'orphan' }
  /** Removes the finalizer `foregroundDeletion`, because nothing blocks. */
  | { readonly step: 'unblock' }
  /**
   * Removes `blockOwnerDeletion` from its references, because one of its owners waits for it while it waits
   * for that owner.
   */
  | { readonly step: 'break circle' }
  /** Enqueues the blocking dependents and waits. */
  | { readonly step: 'wait'; readonly keys: readonly string[] }
  /** Removes references to owners that do not exist or are being deleted, because another owner stays. */
  | { readonly step: 'release'; readonly owners: readonly string[] }
  | { readonly step: 'delete'; readonly propagation: Propagation; readonly breakCircle: boolean };

/** Usual upper bound of the lag of a cache that lacks an object the API returned. */
const UNSEEN_MS = 4_000;
/** Longest wait for a cache that stays behind. */
const LONGEST_UNSEEN_MS = 5 * 60_000;

/** Decides what to do with an object. Pure; never deletes an object that has a solid owner. */
export function decide(object: ObservedObject): Decision {
  if (object.deleting) return decideDeleting(object);
  const { solid, unseen, behindMs, dangling, waiting } = object;
  if (solid > 0 && dangling.length + waiting.length > 0)
    return { step: 'release', owners: [...dangling, ...waiting] };
  // Each recheck costs one read for every dependent of every owner the cache lacks, so the interval doubles.
  if (unseen) return { step: 'recheck', afterMs: Math.min(Math.max(behindMs, UNSEEN_MS), LONGEST_UNSEEN_MS) };
  if (solid > 0) return { step: 'nothing' };
  if (dangling.length + waiting.length === 0) return { step: 'nothing' };
  if (waiting.length > 0 && object.hasDependents)
    // If dependents wait too, the references may form a cycle in which every object blocks another.
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
  // Dependents that wait are not enqueued: two that wait for each other would enqueue each other without end.
  return blocking.length > 0 || blockedByWaiting ? { step: 'wait', keys: blocking } : { step: 'unblock' };
}
