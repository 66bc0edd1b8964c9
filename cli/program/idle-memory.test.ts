import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { type HeapSize, createIdleMemory, currentThread } from './idle-memory.ts';

const MB = 1024 * 1024;
const IDLE = 0.01;
const BUSY = 0.3;

interface Resting {
  /** Returns the busy fraction of the thread, from 0 to 1, at a time in milliseconds since the start. */
  readonly busyAt: (ms: number) => number;
  readonly heap?: Partial<HeapSize>;
  /** Duration of a collection in milliseconds. Default 0. */
  readonly collectMs?: number;
}

/** Returns the number of collections up to each of these times in milliseconds. */
async function collections(
  { busyAt, heap, collectMs = 0 }: Resting,
  ends: readonly number[],
): Promise<number[]> {
  const clock = createSimulatedClock();
  let askedMs = 0;
  let count = 0;
  let collectingMs = 0;
  const memory = createIdleMemory(
    { clock, log: silentLogger },
    {
      busyShare() {
        const nowMs = clock.monotonic() - startMs;
        let busyMs = collectingMs;
        for (let ms = askedMs; ms < nowMs; ms += 1_000) busyMs += 1_000 * busyAt(ms);
        const share = busyMs / (nowMs - askedMs);
        askedMs = nowMs;
        collectingMs = 0;
        return share;
      },
      heapSize: () => ({ usedBytes: 30 * MB, heldBytes: 60 * MB, ...heap }),
      async collect() {
        count += 1;
        collectingMs += collectMs;
      },
    },
  );
  const startMs = clock.monotonic();
  await memory.start();
  const counts: number[] = [];
  for (const end of ends) {
    await clock.advance(startMs + end - clock.monotonic());
    counts.push(count);
  }
  await memory.stop();
  await clock.advance(60_000);
  expect(count).toBe(counts.at(-1));
  return counts;
}

/** Returns the number of collections at the end of each 15 s interval with the given busy fraction. */
const inQuarters = (shares: readonly number[], heap: Partial<HeapSize> = {}): Promise<number[]> =>
  collections(
    { busyAt: (ms) => shares[Math.floor(ms / 15_000)] ?? 0, heap },
    shares.map((_, quarter) => (quarter + 1) * 15_000),
  );

describe('memory of an idle thread', () => {
  it('is returned once per idle period', async () => {
    expect(await inQuarters([BUSY, BUSY, IDLE, IDLE, IDLE])).toEqual([0, 0, 1, 1, 1]);
    expect(await inQuarters([IDLE, BUSY, IDLE, BUSY, BUSY, IDLE])).toEqual([1, 1, 2, 2, 2, 3]);
  });

  it('is returned after fifteen idle seconds, whenever the idle period starts', async () => {
    const worksUntil = (end: number) => ({ busyAt: (ms: number) => (ms < end ? BUSY : IDLE) });
    expect(await collections(worksUntil(2_000), [14_000, 18_000])).toEqual([0, 1]);
    expect(await collections(worksUntil(16_000), [30_000, 34_000])).toEqual([0, 1]);
  });

  it('is not collected again because of the work of the collection', async () => {
    const quiet = { busyAt: () => 0, collectMs: 2_000 };
    expect(await collections(quiet, [15_000, 90_000])).toEqual([1, 1]);
  });

  it('is not returned if the gain is small', async () => {
    expect(await inQuarters([IDLE], { heldBytes: 36 * MB })).toEqual([0]);
  });

  it('is not returned if the heap is so large that a collection would delay requests', async () => {
    expect(await inQuarters([IDLE], { usedBytes: 300 * MB, heldBytes: 400 * MB })).toEqual([0]);
  });

  it('includes the garbage of the calling thread', async () => {
    const thread = currentThread();
    let garbage: object[] | undefined = Array.from({ length: 200_000 }, (_, number) => ({
      number,
      list: [],
    }));
    const { usedBytes: before } = thread.heapSize();
    expect(garbage).toHaveLength(200_000);
    garbage = undefined;
    await thread.collect();
    expect(thread.heapSize().usedBytes).toBeLessThan(before - 8 * MB);
  });
});
