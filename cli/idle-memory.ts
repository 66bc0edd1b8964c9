import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Clock, Timer } from '../base/clock/index.ts';
import { messageOf } from '../base/errors/index.ts';
import type { Lifetime } from '../base/lifetime/index.ts';
import type { Logger } from '../base/log/index.ts';

/**
 * Idle time before a collection in milliseconds. A collection also drops compiled code, so a pause between
 * two bursts must not trigger it.
 */
const IDLE_MS = 15_000;
/** Largest busy share of an idle thread. */
const NEXT_TO_NOTHING = 0.02;
/** Sampling interval in milliseconds; the start of idleness is noticed with this delay. */
const LOOK_MS = 3_000;
const LOOKS = IDLE_MS / LOOK_MS;
/** Smallest gain in bytes that is worth a collection. */
const LEAST_BYTES = 8 * 1024 * 1024;
/** Largest heap to collect, in bytes; a larger one would delay a request for too long. */
const LARGEST_HEAP_BYTES = 256 * 1024 * 1024;

/** Heap sizes in bytes: used by objects including garbage, and held from the operating system. */
export interface HeapSize {
  readonly usedBytes: number;
  readonly heldBytes: number;
}

/** Thread whose memory is returned. */
export interface IdleThread {
  /** Returns the busy share of the thread since the last call, 0 to 1. */
  busyShare(): number;
  heapSize(): HeapSize;
  /** Collects all garbage and returns free memory to the operating system. */
  collect(): Promise<void>;
}

/**
 * Returns memory to the operating system once a thread is idle after work. V8 by itself often keeps the
 * memory of a burst: short-lived objects of requests grow a heap by up to 32 MB.
 */
export function createIdleMemory(
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  thread: IdleThread = currentThread(),
): Lifetime {
  let timer: Timer | undefined;
  let collected = false;
  /** Newest samples, oldest first. */
  const shares: number[] = [];
  const collect = async (): Promise<void> => {
    try {
      await thread.collect();
    } catch (thrown) {
      log.debug({ err: messageOf(thrown) }, 'memory was not given back');
    }
    // Discards the sample of the collection, so that it does not count as work.
    thread.busyShare();
  };
  const look = (): void => {
    shares.push(thread.busyShare());
    if (shares.length > LOOKS) shares.shift();
    if (sum(shares) > NEXT_TO_NOTHING * LOOKS) collected = false;
    else if (!collected && shares.length === LOOKS) {
      collected = true;
      if (isWorthIt(thread.heapSize())) void collect();
    }
    timer = clock.setTimeout(look, LOOK_MS);
  };
  return {
    name: 'idle memory',
    start: async () => {
      thread.busyShare();
      timer = clock.setTimeout(look, LOOK_MS);
    },
    stop: async () => clock.clearTimeout(timer),
  };
}

const sum = (shares: readonly number[]): number => shares.reduce((total, share) => total + share, 0);

const isWorthIt = ({ usedBytes, heldBytes }: HeapSize): boolean =>
  usedBytes <= LARGEST_HEAP_BYTES && heldBytes - usedBytes >= LEAST_BYTES;

/** Returns the calling thread. */
export function currentThread(): IdleThread {
  let last = performance.eventLoopUtilization();
  return {
    busyShare() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    heapSize() {
      const { used_heap_size: usedBytes, total_heap_size: heldBytes } = getHeapStatistics();
      return { usedBytes, heldBytes };
    },
    async collect() {
      // Unlike `gc()` and V8's own collections, this one returns free pages of the heap.
      const { Session } = await import('node:inspector');
      const session = new Session();
      session.connect();
      return new Promise((resolve, reject) =>
        session.post('HeapProfiler.collectGarbage', (error) => {
          // Disconnects later: V8 holds a lock during the callback that disconnecting also takes.
          setImmediate(() => session.disconnect());
          if (error) reject(error);
          else resolve();
        }),
      );
    },
  };
}
