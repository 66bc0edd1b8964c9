import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Clock, Timer } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Logger } from '../../base/log/index.ts';

/**
 * Idle time before a collection in milliseconds. A collection also discards compiled code, so a pause between
 * two bursts must not trigger a collection.
 */
const IDLE_MS = 15_000;
/** Maximum busy fraction of a thread that counts as idle. */
const MAX_IDLE_SHARE = 0.02;
/** Interval of samples in milliseconds, which is also the delay in detecting an idle thread. */
const SAMPLE_MS = 3_000;
const IDLE_SAMPLES = IDLE_MS / SAMPLE_MS;
/** Minimum gain in bytes for which a collection is run. */
const MIN_GAIN_BYTES = 8 * 1024 * 1024;
/**
 * Maximum size of a heap in bytes that is collected. The collection of a larger heap would delay a request
 * for too long.
 */
const MAX_HEAP_BYTES = 256 * 1024 * 1024;

/** Heap sizes in bytes: used by objects including garbage, and allocated from the operating system. */
export interface HeapSize {
  readonly usedBytes: number;
  readonly heldBytes: number;
}

/** Thread whose unused memory is returned. */
export interface IdleThread {
  /** Returns the busy fraction of the thread since the last call, from 0 to 1. */
  busyShare(): number;
  heapSize(): HeapSize;
  /** Collects all garbage and returns free memory to the operating system. */
  collect(): Promise<void>;
}

/**
 * Returns memory to the operating system once a thread is idle after work. V8 itself often retains the memory
 * of a burst: short-lived objects of requests can grow a heap by 32 MB.
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
    // The sample of the collection is discarded, so that the collection does not count as work.
    thread.busyShare();
  };
  const sample = (): void => {
    shares.push(thread.busyShare());
    if (shares.length > IDLE_SAMPLES) shares.shift();
    if (sum(shares) > MAX_IDLE_SHARE * IDLE_SAMPLES) collected = false;
    else if (!collected && shares.length === IDLE_SAMPLES) {
      collected = true;
      if (isWorthIt(thread.heapSize())) void collect();
    }
    timer = clock.setTimeout(sample, SAMPLE_MS);
  };
  return {
    name: 'idle memory',
    start: async () => {
      thread.busyShare();
      timer = clock.setTimeout(sample, SAMPLE_MS);
    },
    stop: async () => clock.clearTimeout(timer),
  };
}

const sum = (shares: readonly number[]): number => shares.reduce((total, share) => total + share, 0);

const isWorthIt = ({ usedBytes, heldBytes }: HeapSize): boolean =>
  usedBytes <= MAX_HEAP_BYTES && heldBytes - usedBytes >= MIN_GAIN_BYTES;

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
      // Unlike `gc()` and V8's own collections, this collection returns free pages of the heap.
      const { Session } = await import('node:inspector');
      const session = new Session();
      session.connect();
      return new Promise((resolve, reject) =>
        session.post('HeapProfiler.collectGarbage', (error) => {
          // Disconnects later, because V8 holds a lock during the callback that disconnecting also needs.
          setImmediate(() => session.disconnect());
          if (error) reject(error);
          else resolve();
        }),
      );
    },
  };
}
