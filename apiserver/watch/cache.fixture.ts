import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createMemoryStorage } from '../storage/memory.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import type { Storage } from '../storage/storage.ts';
import { createWatchCache } from './cache.ts';
import type { RingLimits } from './ring.ts';
import type { CacheChange, Watcher } from './watch-cache.ts';

/** Returns the form of an object in lists, which is here the stored value. */
export const inList = (value: Buffer) => [value];

/** Prefix of the cached keys. */
export const PREFIX = '/pods/';

/** Returns the stored bytes of a pod with these labels. */
export const pod = (name: string, labels: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name, labels } }));

/** Creates a cache of a memory store. `write` creates or replaces a key. */
export async function setUp(limits: RingLimits = {}) {
  const clock = createSimulatedClock();
  const storage = createMemoryStorage({ stamp: stampResourceVersion });
  const cache = createWatchCache({ storage, prefix: PREFIX, clock, log: silentLogger, inList, ...limits });
  const write = async (key: string, labels: object = {}, on: Storage = storage): Promise<number> => {
    const current = await on.get(key);
    return (await on.put(key, pod(key, labels), current?.revision ?? 'absent')).revision;
  };
  const remove = async (key: string): Promise<number> =>
    (await storage.delete(key, (await storage.get(key))?.revision ?? 0)).revision;
  return { clock, storage, cache, write, remove };
}

interface Probe {
  room: boolean;
  readonly changes: CacheChange[];
  readonly ends: Error[];
  resume: () => void;
  seen(): readonly string[];
  readonly watcher: Watcher;
}

/** Creates a watcher that accepts changes until `room` is false. */
export function createProbe(): Probe {
  const probe: Probe = {
    room: true,
    changes: [],
    ends: [],
    resume: () => {},
    seen: () => probe.changes.map(({ type, revision, entry }) => `${revision} ${type} ${entry.key}`),
    watcher: {
      deliver(change) {
        probe.changes.push(change);
        return probe.room;
      },
      onReady: (resume) => void (probe.resume = resume),
      onEnd: (error) => void probe.ends.push(error),
    },
  };
  return probe;
}
