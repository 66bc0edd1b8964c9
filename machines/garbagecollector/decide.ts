/** Everything one pass over an object decides on; plain JSON, read from the caches and, for owners, from the API. */
export interface ObservedObject {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  /** Bears the finalizer `orphan`: its dependents are to outlive it. */
  readonly orphaning: boolean;
  /** Bears the finalizer `foregroundDeletion`: its dependents go first. */
  readonly foreground: boolean;
  /** Owners that exist, or that cannot be told to be absent. */
  readonly solid: number;
  /** The API shows one of them that the caches do not show yet: should it go before they do, nothing tells of it. */
  readonly unseen: boolean;
  /** How long a cache that should show such an owner has been unable to follow the API, milliseconds. */
  readonly behindMs: number;
  /** Uids of owners the API itself says are gone or are others under the same name. */
  readonly dangling: readonly string[];
  /** Uids of owners that wait for their dependents to go. */
  readonly waiting: readonly string[];
  /** Its own references keep an owner from going. */
  readonly blocksOwner: boolean;
  /** Some dependent is itself waiting for its dependents. Looked up, as the next, where it matters: while this goes, or an owner waits. */
  readonly dependentsWait: boolean;
  readonly hasDependents: boolean;
  /** Keys of dependents that keep this object from going in foreground deletion, and do not wait themselves. */
  readonly blocking: readonly string[];
  /** Dependents that wait themselves keep it from going: each tells of its own end. */
  readonly blockedByWaiting: boolean;
  /** Among those are some that wait, in the end, for this very object: none of them would ever go. */
  readonly blocksItself: boolean;
}

export type Propagation = 'Orphan' | 'Background' | 'Foreground';

/** What one pass does, and in which state of the machine. */
export type Decision =
  | { readonly step: 'nothing' }
  /** Nothing now, and the same question again after a while. */
  | { readonly step: 'look again'; readonly afterMs: number }
  /** Takes this object out of its dependents' owner references, then removes the finalizer `orphan`. */
  | { readonly step: 'orphan' }
  /** Nothing blocks: removes the finalizer `foregroundDeletion`. */
  | { readonly step: 'unblock' }
  /** Takes back that this object blocks its owners: one of them waits for it, and it for them. */
  | { readonly step: 'break circle' }
  /** Brings up what blocks, and waits. */
  | { readonly step: 'wait'; readonly keys: readonly string[] }
  /** Removes references to owners that are gone or going: another owner stays. */
  | { readonly step: 'release'; readonly owners: readonly string[] }
  | { readonly step: 'delete'; readonly propagation: Propagation; readonly breakCircle: boolean };

/** A cache that lacks what the API shows is mostly behind by less than this. */
const UNSEEN_MS = 4_000;
/** The longest wait for one that is behind for good. */
const LONGEST_UNSEEN_MS = 5 * 60_000;

/** Pure. Never deletes an object that has a solid owner. */
export function decide(object: ObservedObject): Decision {
  if (object.deleting) return decideDeleting(object);
  const { solid, unseen, behindMs, dangling, waiting } = object;
  if (solid > 0 && dangling.length + waiting.length > 0)
    return { step: 'release', owners: [...dangling, ...waiting] };
  // Twice as long from look to look: each is a read, by every dependent of every owner that the cache lacks.
  if (unseen)
    return { step: 'look again', afterMs: Math.min(Math.max(behindMs, UNSEEN_MS), LONGEST_UNSEEN_MS) };
  if (solid > 0) return { step: 'nothing' };
  if (dangling.length + waiting.length === 0) return { step: 'nothing' };
  if (waiting.length > 0 && object.hasDependents)
    // Where dependents wait too, the references may form a circle, in which everybody would block everybody.
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
  // Those that wait are not brought up: two that wait for each other would do so without end.
  return blocking.length > 0 || blockedByWaiting ? { step: 'wait', keys: blocking } : { step: 'unblock' };
}
