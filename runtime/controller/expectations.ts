import type { Clock } from '../../base/clock/clock.ts';

/** How far a controller may believe its cache of what it creates and deletes for a key. */
export type Believed =
  /** The cache shows all that was done. */
  | 'met'
  /** It will: the events are on their way. */
  | 'pending'
  /** It cannot be told; only a live read can. */
  | 'doubtful';

/** What a cache shows of the objects of one key: uid, and whether the object is on its way out. */
export type CachedUids = ReadonlyMap<string, { readonly ending: boolean }>;

/**
 * What the cache is yet to show of a controller's own creations and deletions, object by object. Without it a cache
 * that lags makes a controller create what it has created already.
 */
export interface Expectations {
  /** An object was created. */
  appears(key: string, uid: string): void;
  /** An object was deleted, or is on its way out. */
  ends(key: string, uid: string): void;
  /** What the cache shows cannot be relied on: an answer was lost, or a write was refused for what it shows. */
  doubt(key: string): void;
  /** Whether there is such a doubt, until the state of things is read live. */
  doubted(key: string): boolean;
  /** The state of things was read live: this is what the cache is to come to. */
  confirm(key: string, live: CachedUids, cached: CachedUids): void;
  check(key: string, cached: CachedUids): Believed;
  forget(key: string): void;
}

interface Expected {
  readonly appearing: Set<string>;
  readonly ending: Set<string>;
  /** On their way out, and not shown yet at all: they may still appear as they were before. */
  readonly passing: Set<string>;
  doubtful: boolean;
  /** On the monotonic clock. */
  sinceMs: number;
}

/** An event that has not come after this time was missed, or its object came and went between two lists. */
export const EXPECTATION_MS = 5_000;

export function createExpectations(clock: Clock): Expectations {
  const keys = new Map<string, Expected>();
  const of = (key: string): Expected => {
    let expected = keys.get(key);
    if (expected === undefined) {
      expected = { appearing: new Set(), ending: new Set(), passing: new Set(), doubtful: false, sinceMs: 0 };
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
        if (!cached.has(uid)) (ending ? of(key).passing : of(key).appearing).add(uid);
      for (const uid of cached.keys()) if (live.get(uid)?.ending ?? true) of(key).ending.add(uid);
    },
    check(key, cached) {
      const expected = keys.get(key);
      if (expected === undefined) return 'met';
      if (expected.doubtful) return 'doubtful';
      for (const uid of expected.appearing) if (cached.has(uid)) expected.appearing.delete(uid);
      for (const uid of expected.ending) if (cached.get(uid)?.ending ?? true) expected.ending.delete(uid);
      for (const uid of expected.passing) if (cached.get(uid)?.ending === true) expected.passing.delete(uid);
      if (expected.appearing.size + expected.ending.size + expected.passing.size === 0) {
        keys.delete(key);
        return 'met';
      }
      return clock.monotonic() - expected.sinceMs < EXPECTATION_MS ? 'pending' : 'doubtful';
    },
    forget: (key) => void keys.delete(key),
  };
}
