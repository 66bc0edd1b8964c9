import type { Clock } from '../../base/clock/index.ts';

/** Result of comparing the cache with the controller's own creations and deletions for a key. */
export type Believed =
  /** The cache reflects all creations and deletions. */
  | 'met'
  /** Some events have not arrived yet. */
  | 'pending'
  /** The cache is unreliable; only a live read can decide. */
  | 'doubtful';

/** Cached objects of one key by uid; `ending` is true for an object that is being deleted. */
export type CachedUids = ReadonlyMap<string, { readonly ending: boolean }>;

/**
 * Tracks by uid the controller's own creations and deletions that the cache does not reflect yet. Without
 * expectations, a stale cache makes a controller create an object twice. Similar to
 * `UIDTrackingControllerExpectations` in
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/controller/controller_utils.go.
 */
export interface Expectations {
  /** Records a created object. */
  appears(key: string, uid: string): void;
  /** Records an object that was deleted or is being deleted. */
  ends(key: string, uid: string): void;
  /**
   * Marks the cache as unreliable for the key, because a response was lost or a write was rejected for stale
   * state.
   */
  doubt(key: string): void;
  /** True from a call of `doubt` until the next call of `confirm`. */
  doubted(key: string): boolean;
  /** Replaces the expectations of a key by the difference between a live read and the cache. */
  confirm(key: string, live: CachedUids, cached: CachedUids): void;
  /** Compares the expectations of a key with the cache. */
  check(key: string, cached: CachedUids): Believed;
  /** Drops the expectations of a key. */
  forget(key: string): void;
}

interface Expected {
  readonly appearing: Set<string>;
  readonly ending: Set<string>;
  /**
   * Objects that are being deleted and were missing in the cache. The cache may first receive an earlier
   * state.
   */
  readonly endingUnseen: Set<string>;
  doubtful: boolean;
  /** Time of the last change, on the monotonic clock. */
  sinceMs: number;
}

/**
 * Time limit of an expectation in milliseconds. After it, the event was missed or the object existed only
 * between two lists, so the cache cannot meet the expectation.
 */
export const EXPECTATION_MS = 5_000;

/** Creates an empty set of expectations. */
export function createExpectations(clock: Clock): Expectations {
  const keys = new Map<string, Expected>();
  const of = (key: string): Expected => {
    let expected = keys.get(key);
    if (expected === undefined) {
      expected = {
        appearing: new Set(),
        ending: new Set(),
        endingUnseen: new Set(),
        doubtful: false,
        sinceMs: 0,
      };
      keys.set(key, expected);
    }
    expected.sinceMs = clock.monotonic();
    return expected;
  };
  return {
    appears: (key, uid) => void of(key).appearing.add(uid),
    ends: (key, uid) => void of(key).ending.add(uid),
    doubt(key) {
      of(key).doubtful = true;
    },
    doubted: (key) => keys.get(key)?.doubtful ?? false,
    confirm(key, live, cached) {
      keys.delete(key);
      for (const [uid, { ending }] of live)
        if (!cached.has(uid)) (ending ? of(key).endingUnseen : of(key).appearing).add(uid);
      for (const uid of cached.keys()) if (live.get(uid)?.ending ?? true) of(key).ending.add(uid);
    },
    check(key, cached) {
      const expected = keys.get(key);
      if (expected === undefined) return 'met';
      if (expected.doubtful) return 'doubtful';
      for (const uid of expected.appearing) if (cached.has(uid)) expected.appearing.delete(uid);
      for (const uid of expected.ending) if (cached.get(uid)?.ending ?? true) expected.ending.delete(uid);
      for (const uid of expected.endingUnseen)
        if (cached.get(uid)?.ending === true) expected.endingUnseen.delete(uid);
      if (expected.appearing.size + expected.ending.size + expected.endingUnseen.size === 0) {
        keys.delete(key);
        return 'met';
      }
      return clock.monotonic() - expected.sinceMs < EXPECTATION_MS ? 'pending' : 'doubtful';
    },
    forget: (key) => void keys.delete(key),
  };
}
