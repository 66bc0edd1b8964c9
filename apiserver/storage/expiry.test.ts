import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createExpiry } from './expiry.ts';
import { createMemoryStorage } from './memory.ts';
import { plainStamp } from './storage.conformance.ts';
import type { Storage } from './storage.ts';
import { StorageError } from './storage.ts';

const HOUR = 3_600_000;
const rules = [{ prefix: '/events/', ttlMs: HOUR }];
const bytes = (text: string): Buffer => Buffer.from(text);

/** Creates an expiry that deletes values of a memory store. `again` restarts it on the same store. */
async function setUp() {
  const clock = createSimulatedClock();
  const base = createMemoryStorage({ stamp: plainStamp });
  const again = async (over: Storage = base) => {
    const expiry = createExpiry({ storage: over, clock, log: silentLogger, rules });
    await expiry.start();
    return expiry;
  };
  const keys = async (): Promise<readonly string[]> => (await base.list('/')).items.map(({ key }) => key);
  return { clock, base, again, keys };
}

describe('the expiry of values', () => {
  it('deletes only the expired value at its due time, and notifies watchers', async () => {
    const { clock, base, again, keys } = await setUp();
    const { storage } = await again();
    const seen: string[] = [];
    await storage.watch('/', 0, {
      onChange: ({ type, key, revision }) => void seen.push(`${revision} ${type} ${key}`),
      onEnd: () => {},
    });
    await storage.put('/events/a', bytes('v'), 'absent');
    await storage.put('/pods/a', bytes('v'), 'absent');
    expect((await base.get('/events/a'))?.expiresAtMs).toBe(clock.now() + HOUR);
    await clock.advance(HOUR - 1);
    expect(await keys()).toEqual(['/events/a', '/pods/a']);
    await clock.advance(1);
    expect(await keys()).toEqual(['/pods/a']);
    expect(seen).toEqual(['1 put /events/a', '2 put /pods/a', '3 delete /events/a']);
    expect(clock.pending).toBe(0);
  });

  it('deletes a value at its time to live after the last write', async () => {
    const { clock, again, keys } = await setUp();
    const { storage } = await again();
    await storage.put('/events/a', bytes('v'), 'absent');
    await storage.put('/events/b', bytes('v'), 'absent');
    await clock.advance(HOUR / 2);
    await storage.put('/events/a', bytes('w'), 1);
    await clock.advance(HOUR / 2);
    expect(await keys()).toEqual(['/events/a']);
    await clock.advance(HOUR / 2);
    expect(await keys()).toEqual([]);
  });

  it('does not delete a key that was deleted and re-created', async () => {
    const { clock, again, keys } = await setUp();
    const { storage } = await again();
    await storage.put('/events/a', bytes('v'), 'absent');
    await clock.advance(HOUR - 10);
    await storage.delete('/events/a', 1);
    await storage.put('/events/a', bytes('v'), 'absent');
    await clock.advance(HOUR - 1);
    expect(await keys()).toEqual(['/events/a']);
    await clock.advance(1);
    expect(await keys()).toEqual([]);
  });

  it('deletes overdue values after a restart, and others at their due time', async () => {
    const { clock, again, keys } = await setUp();
    const first = await again();
    await first.storage.put('/events/a', bytes('v'), 'absent');
    await clock.advance(HOUR / 2);
    await first.storage.put('/events/b', bytes('v'), 'absent');
    await first.stop();
    expect(clock.pending).toBe(0);
    await clock.advance(HOUR * 0.75);
    expect(await keys()).toEqual(['/events/a', '/events/b']);
    const second = await again();
    await clock.advance(1);
    expect(await keys()).toEqual(['/events/b']);
    await clock.advance(HOUR / 4);
    expect(await keys()).toEqual([]);
    await second.stop();
  });

  it('deletes values at their due time although the wall clock is set', async () => {
    const { clock, again, keys } = await setUp();
    const first = await again();
    await first.storage.put('/events/a', bytes('v'), 'absent');
    clock.jump(10 * HOUR);
    await clock.advance(HOUR / 2);
    expect(await keys()).toEqual(['/events/a']);
    clock.jump(-20 * HOUR);
    await first.stop();
    await again();
    await clock.advance(HOUR);
    expect(await keys()).toEqual([]);
  });

  it('retries after a failure of the store', async () => {
    const { clock, base, again, keys } = await setUp();
    let failing = true;
    const { storage } = await again({
      ...base,
      delete: async (key, expected) => {
        if (failing) throw new StorageError('ERR_STORAGE_UNAVAILABLE', 'no disk');
        return base.delete(key, expected);
      },
    });
    for (let i = 0; i < 200; i++) await storage.put(`/events/${i}`, bytes('v'), 'absent');
    await clock.advance(HOUR);
    expect(await keys()).toHaveLength(200);
    failing = false;
    await clock.advance(5_000);
    expect(await keys()).toEqual([]);
  });
});
