import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Clock, Timer } from '../base/clock/clock.ts';
import { messageOf } from '../base/errors/coded.ts';
import type { Lifetime } from '../base/lifetime/lifetimes.ts';
import type { Logger } from '../base/log/logger.ts';

/** How long a thread must have done next to nothing, milliseconds: what was compiled goes too, and a pause between two bursts is no rest. */
const IDLE_MS = 15_000;
/** The share of that time in which it worked. */
const NEXT_TO_NOTHING = 0.02;
/** How often it is looked at: rest is noticed that much late, wherever in between work has ended. */
const LOOK_MS = 3_000;
const LOOKS = IDLE_MS / LOOK_MS;
/** What is not worth the work, bytes. */
const LEAST_BYTES = 8 * 1024 * 1024;
/** To collect a larger heap takes so long that a request which comes then would be kept waiting. */
const LARGEST_HEAP_BYTES = 256 * 1024 * 1024;

/** A heap, bytes: what objects take, garbage included, and what the system has given for them. */
export interface HeapSize {
  readonly usedBytes: number;
  readonly heldBytes: number;
}

/** The thread that memory is given back of. */
export interface RestingThread {
  /** The share of the time since it was asked last in which the thread worked, 0 to 1. */
  busyShare(): number;
  heapSize(): HeapSize;
  /** Collects all garbage, and gives back what is left over. */
  collect(): Promise<void>;
}

/**
 * Gives memory back to the system once a thread has come to rest after work. By itself V8 keeps what a burst has left
 * behind, often for good: a heap grows by up to 32 MB for objects that live no longer than a request.
 */
export function createIdleMemory(
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  thread: RestingThread = currentThread(),
): Lifetime {
  let timer: Timer | undefined;
  let collected = false;
  /** Of the newest looks, oldest first. */
  const shares: number[] = [];
  const collect = async (): Promise<void> => {
    try {
      await thread.collect();
    } catch (thrown) {
      log.debug({ err: messageOf(thrown) }, 'memory was not given back');
    }
    // The collection is no work that another one would have to follow.
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

/** The thread that asks. */
export function currentThread(): RestingThread {
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
      // What `gc()` and V8's own collections leave to the heap, this one gives back.
      const { Session } = await import('node:inspector');
      const session = new Session();
      session.connect();
      return new Promise((resolve, reject) =>
        session.post('HeapProfiler.collectGarbage', (error) => {
          // Not here: V8 holds a lock while it calls back, which the end of the session takes too.
          setImmediate(() => session.disconnect());
          if (error) reject(error);
          else resolve();
        }),
      );
    },
  };
}
