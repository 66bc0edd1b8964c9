import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createCompactor } from './compactor.ts';
import { createMemoryStorage } from './memory.ts';
import { plainStamp } from './storage.conformance.ts';

const MINUTE = 60_000;

function setUp(intervalMs: number) {
  const clock = createSimulatedClock();
  const storage = createMemoryStorage({ stamp: plainStamp });
  const compactor = createCompactor({ storage, clock, log: silentLogger, intervalMs });
  const write = async (): Promise<void> => {
    const revision = await storage.revision();
    await storage.put('/a/x', Buffer.from('v'), revision === 0 ? 'absent' : revision);
  };
  return { clock, storage, compactor, write };
}

describe('the compactor', () => {
  it('retains between one and two intervals of history', async () => {
    const { clock, storage, compactor, write } = setUp(5 * MINUTE);
    await compactor.start();
    const floors: number[] = [];
    for (let minute = 1; minute <= 20; minute++) {
      await write();
      await clock.advance(MINUTE);
      if (minute % 5 === 0) floors.push(storage.compacted());
    }
    expect(floors).toEqual([0, 5, 10, 15]);
    await compactor.stop();
    expect(clock.pending).toBe(0);
  });

  it('does nothing if its interval is 0', async () => {
    const { clock, storage, compactor, write } = setUp(0);
    await compactor.start();
    await write();
    await clock.advance(60 * MINUTE);
    expect([storage.compacted(), clock.pending]).toEqual([0, 0]);
  });

  it('compacts again after the store has failed once', async () => {
    const { clock, storage, compactor, write } = setUp(MINUTE);
    await compactor.start();
    await write();
    await clock.advance(MINUTE);
    const { compact } = storage;
    storage.compact = () => Promise.reject(new Error('no disk'));
    await clock.advance(MINUTE);
    expect(storage.compacted()).toBe(0);
    storage.compact = compact;
    await clock.advance(MINUTE);
    expect(storage.compacted()).toBe(1);
  });

  it('compacts again after the store was restored to an earlier revision', async () => {
    const { clock, storage, compactor, write } = setUp(MINUTE);
    await compactor.start();
    await write();
    const { revision } = storage;
    storage.revision = async () => 5;
    await clock.advance(MINUTE);
    storage.revision = revision;
    await clock.advance(2 * MINUTE);
    expect(storage.compacted()).toBe(1);
  });
});
