import { beforeEach, describe, expect, it } from 'vitest';
import { createSimulatedClock, type SimulatedClock } from '../../base/clock/simulated.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { CLAIM_MS, type KeyChanges, REMEMBERED_MS } from '../../runtime/index.ts';
import { ChangeClaims } from '../../runtime/queue/change-claims.ts';
import type { HeldKey } from '../../runtime/queue/outbox.ts';
import { loadBullmq } from './bullmq-scope.ts';
import { createMemoryRedis } from './memory-redis.ts';
import { createMemoryQueueServer } from './queue-server.ts';

const KEY = 'team/a';
const LIMIT = 100;

let clock: SimulatedClock;
let server: KeyChanges;

beforeEach(() => {
  clock = createSimulatedClock(0);
  const random = createSeededRandom(1);
  const redis = createMemoryRedis(clock, random);
  server = createMemoryQueueServer({
    bullmq: loadBullmq(clock, random),
    send: async (command, signal) => redis.execute(command, signal),
    random,
  }).changes('{p}');
});

/** A process that sees changes of one key. */
function createProcess(own?: string) {
  const covered: string[] = [];
  const claims = new ChangeClaims({
    clock,
    own,
    onCovered: (key) => covered.push(key),
    ask: (answer) => answer,
  });
  return {
    covered,
    /** Whether it enqueues the key, having seen a change. */
    async sees(change: string, sure = false): Promise<boolean> {
      const named = claims.saw(KEY, change);
      const held: readonly HeldKey[] =
        named === undefined ? [] : [{ key: KEY, retries: 0, changes: [named], sure }];
      return (await claims.claim(server, held)).length > 0;
    },
    async asksAgain(): Promise<boolean> {
      return (await claims.askAgain(server, LIMIT)).length > 0;
    },
    /** Has a pass from beginning to end. */
    async passes(): Promise<void> {
      claims.cover(claims.begin(KEY));
      await claims.tell(server, LIMIT);
    },
  };
}

describe('the claims of processes that see the same changes', () => {
  it('let the first enqueue, and another when nothing has covered the change for a while', async () => {
    const [first, second] = [createProcess(), createProcess()];
    expect([await first.sees('v1'), await second.sees('v1')]).toEqual([true, false]);
    await clock.advance(CLAIM_MS - 1);
    expect(await second.asksAgain()).toBe(false);
    await clock.advance(1);
    expect([await first.asksAgain(), await second.asksAgain()]).toEqual([true, false]);
    await clock.advance(2 * CLAIM_MS);
    expect(await second.asksAgain()).toBe(true);
  });

  it('tell the others once a pass has covered it', async () => {
    const [first, second] = [createProcess(), createProcess()];
    await first.sees('v1');
    await second.sees('v1');
    await first.passes();
    await clock.advance(CLAIM_MS);
    expect([await second.asksAgain(), second.covered]).toEqual([false, [KEY]]);
    expect([await second.sees('v1'), second.covered]).toEqual([false, [KEY, KEY]]);
  });

  it('give what was covered to the process of a later pass that had not seen it, however late it does', async () => {
    const [first, second, third] = [createProcess(), createProcess(), createProcess()];
    await third.passes();
    await clock.advance(1);
    await first.sees('v1');
    await first.passes();
    await clock.advance(1);
    await second.passes();
    await clock.advance(REMEMBERED_MS - 3);
    // Looking for what is due forgets what is past.
    await second.asksAgain();
    expect(await third.sees('v1')).toBe(false);
    expect(await second.sees('v1')).toBe(true);
    // Its claim holds for the others.
    expect(await createProcess().sees('v1')).toBe(false);
  });

  it('bring up what is certain, whatever has been covered, and call it covered to nobody', async () => {
    const [first, second] = [createProcess(), createProcess()];
    await first.sees('v1');
    await first.passes();
    expect([await second.sees('v1', true), second.covered]).toEqual([true, []]);
  });

  it('have nothing to do with those of a process that has the key to itself', async () => {
    const [first, second] = [createProcess('term 1'), createProcess('term 2')];
    await first.sees('v1');
    await first.passes();
    expect([await second.sees('v1'), await first.sees('v1')]).toEqual([true, false]);
  });

  it('tell the server again what it may not have heard', async () => {
    const told: (readonly string[])[] = [];
    const claims = new ChangeClaims({
      clock,
      own: undefined,
      onCovered: () => {},
      ask: (answer) => answer,
    });
    const deaf = { ...server, covered: () => Promise.reject(new Error('no answer')) };
    const hearing = { ...server, covered: async (names: readonly string[]) => void told.push(names) };
    claims.saw(KEY, 'v1');
    claims.cover(claims.begin(KEY));
    await expect(claims.tell(deaf, LIMIT)).rejects.toThrow('no answer');
    expect(claims.untold).toBe(1);
    await claims.tell(hearing, LIMIT);
    expect([claims.untold, told.flat().length]).toEqual([0, 1]);
  });
});
