import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../base/clock/simulated.ts';
import { silentLogger } from '../base/log/logger.ts';
import { type HeapSize, createIdleMemory, currentThread } from './idle-memory.ts';

const MB = 1024 * 1024;
const IDLE = 0.01;
const BUSY = 0.3;

/** A thread that is as busy in each fifteen seconds as is said, and how often its garbage was collected by then. */
async function collections(shares: readonly number[], heap: Partial<HeapSize> = {}): Promise<number[]> {
  const clock = createSimulatedClock();
  const counts: number[] = [];
  let count = 0;
  let at = -1;
  const memory = createIdleMemory(
    { clock, log: silentLogger },
    {
      // Asked once at the start, for the time to begin.
      busyShare: () => shares[at++] ?? 0,
      heapSize: () => ({ usedBytes: 30 * MB, heldBytes: 60 * MB, ...heap }),
      collect: async () => void count++,
    },
  );
  await memory.start();
  for (const _ of shares) {
    await clock.advance(15_000);
    counts.push(count);
  }
  await memory.stop();
  await clock.advance(60_000);
  expect(count).toBe(counts.at(-1));
  return counts;
}

describe('memory of a thread at rest', () => {
  it('is given back once it has come to rest, and not again until it has worked', async () => {
    expect(await collections([BUSY, BUSY, IDLE, IDLE, IDLE])).toEqual([0, 0, 1, 1, 1]);
    expect(await collections([IDLE, BUSY, IDLE, BUSY, BUSY, IDLE])).toEqual([1, 1, 2, 2, 2, 3]);
  });

  it('is kept where little is left over', async () => {
    expect(await collections([IDLE], { heldBytes: 36 * MB })).toEqual([0]);
  });

  it('is kept where the heap is so large that a collection would keep requests waiting', async () => {
    expect(await collections([IDLE], { usedBytes: 300 * MB, heldBytes: 400 * MB })).toEqual([0]);
  });

  it('is what garbage takes in the thread that asks', async () => {
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
