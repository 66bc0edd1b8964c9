import { beforeEach, describe, expect, it } from 'vitest';
import { createSimulatedClock, type SimulatedClock } from '../../base/clock/simulated.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { CLAIM_MS, type KeyChanges, REMEMBERED_MS } from '../../runtime/queue/index.ts';
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

/** Creates a process that observes changes of one key. */
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
    /** Returns true if the process enqueues the key after observing a change. */
    async sees(change: string, sure = false): Promise<boolean> {
      const named = claims.saw(KEY, change);
      const held: readonly HeldKey[] =
        named === undefined ? [] : [{ key: KEY, retries: 0, changes: [named], sure }];
      return (await claims.claim(server, held)).length > 0;
    },
    async asksAgain(): Promise<boolean> {
      return (await claims.checkUnhandled(server, LIMIT)).length > 0;
    },
    /** Runs a complete reconcile of the key. */
    async reconciles(): Promise<void> {
      claims.cover(claims.begin(KEY));
      await claims.report(server, LIMIT);
    },
  };
}

describe('the claims of processes that observe the same changes', () => {
  it('let the first process enqueue, and then another one if the change is not covered in time', async () => {
    const [first, second] = [createProcess(), createProcess()];
    expect([await first.sees('v1'), await second.sees('v1')]).toEqual([true, false]);
    await clock.advance(CLAIM_MS - 1);
    expect(await second.asksAgain()).toBe(false);
    await clock.advance(1);
    expect([await first.asksAgain(), await second.asksAgain()]).toEqual([true, false]);
    await clock.advance(2 * CLAIM_MS);
    expect(await second.asksAgain()).toBe(true);
  });

  it('notify the other processes when a reconcile has covered the change', async () => {
    const [first, second] = [createProcess(), createProcess()];
    await first.sees('v1');
    await second.sees('v1');
    await first.reconciles();
    await clock.advance(CLAIM_MS);
    expect([await second.asksAgain(), second.covered]).toEqual([false, [KEY]]);
    expect([await second.sees('v1'), second.covered]).toEqual([false, [KEY, KEY]]);
  });

  it('let a process enqueue a covered change if that process reconciled later without observing the change', async () => {
    const [first, second, third] = [createProcess(), createProcess(), createProcess()];
    await third.reconciles();
    await clock.advance(1);
    await first.sees('v1');
    await first.reconciles();
    await clock.advance(1);
    await second.reconciles();
    await clock.advance(REMEMBERED_MS - 3);
    // Looking for due claims also drops expired ones.
    await second.asksAgain();
    expect(await third.sees('v1')).toBe(false);
    expect(await second.sees('v1')).toBe(true);
    // The second process's claim is valid for other processes.
    expect(await createProcess().sees('v1')).toBe(false);
  });

  it('always enqueue certain changes and never report them as covered', async () => {
    const [first, second] = [createProcess(), createProcess()];
    await first.sees('v1');
    await first.reconciles();
    expect([await second.sees('v1', true), second.covered]).toEqual([true, []]);
  });

  it('are independent for processes that own the key exclusively', async () => {
    const [first, second] = [createProcess('term 1'), createProcess('term 2')];
    await first.sees('v1');
    await first.reconciles();
    expect([await second.sees('v1'), await first.sees('v1')]).toEqual([true, false]);
  });

  it('repeat a notification that the server may not have received', async () => {
    const received: (readonly string[])[] = [];
    const claims = new ChangeClaims({
      clock,
      own: undefined,
      onCovered: () => {},
      ask: (answer) => answer,
    });
    const unreachable = { ...server, covered: () => Promise.reject(new Error('no answer')) };
    const reachable = { ...server, covered: async (names: readonly string[]) => void received.push(names) };
    claims.saw(KEY, 'v1');
    claims.cover(claims.begin(KEY));
    await expect(claims.report(unreachable, LIMIT)).rejects.toThrow('no answer');
    expect(claims.unreported).toBe(1);
    await claims.report(reachable, LIMIT);
    expect([claims.unreported, received.flat().length]).toEqual([0, 1]);
  });
});
