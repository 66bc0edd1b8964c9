import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import type { WorkQueue } from '../../runtime/index.ts';
import type { Tape } from '../tape/tape.ts';
import { NO_ODDS, createFaults } from './faults.ts';
import { createRedisNetwork } from './redis-network.ts';
import { type Process, createNode, createProcess, createTimeline } from './timeline.ts';

/** Nothing strikes of itself, and what is brought about lasts as long as such a thing can. */
const tape: Tape = {
  choose: (label, n) => (label.startsWith('lasting') ? n - 1 : 0),
  deviations: () => [],
  draws: 0,
};
/** As long as a partition and as an outage, milliseconds. */
const PARTITION_MS = 300_000;
const OUTAGE_MS = 60_000;
/** What a replica is behind when it takes over. */
const LAG_MS = 5_000;

/** Two managers that share the keys of a queue: `one`, whom partitions strike, takes them, and `two` brings them up. */
async function world() {
  const timeline = createTimeline();
  const faults = createFaults(tape, { faults: [], budget: 0, odds: NO_ODDS, jitter: 0 }, () => ({
    step: timeline.steps,
    atMs: timeline.nowMs,
  }));
  const start = (name: string): Process => createProcess(createNode(name), timeline, 0);
  const [one, two] = [start('one'), start('two')];
  const network = createRedisNetwork({ timeline, faults, startMs: 0, seed: 1, processes: () => [one] });
  const queueOf = (process: Process, seed: number): WorkQueue =>
    network
      .queues(process, { clock: process.clock, random: createSeededRandom(seed), log: silentLogger })
      .create('test');
  const taken: string[] = [];
  const pass = async (ms: number): Promise<void> => {
    const untilMs = timeline.nowMs + ms;
    // What was begun outside a step goes on as far as it can.
    timeline.plan(0, 'begin', () => {});
    while (await timeline.step(untilMs));
  };
  void queueOf(one, 2).run(async (key) => void taken.push(key));
  const brings = queueOf(two, 3);
  // Connections are made when something is first asked for.
  brings.add('first');
  await pass(60_000);
  expect(taken.splice(0)).toEqual(['first']);
  return { network, faults, taken, brings, pass };
}

describe('the Redis of a simulated world', () => {
  it('hands what one process adds to the other, which has waited for it', async () => {
    const { brings, taken, pass } = await world();
    brings.add('a');
    await pass(100);
    expect(taken).toEqual(['a']);
  });

  it('lets a process behind a partition take nothing until that ends', async () => {
    const { network, brings, taken, pass } = await world();
    network.disturb('redis-partition');
    brings.add('a');
    await pass(PARTITION_MS - 1_000);
    expect(taken).toEqual([]);
    await pass(60_000);
    expect(taken).toEqual(['a']);
  });

  it('is reached again as soon as all is healed', async () => {
    const { network, brings, taken, pass } = await world();
    network.disturb('redis-partition');
    brings.add('a');
    await pass(1_000);
    network.heal();
    await pass(60_000);
    expect(taken).toEqual(['a']);
  });

  it('serves nobody while it is down', async () => {
    const { network, brings, taken, pass } = await world();
    network.disturb('redis-restart');
    brings.add('a');
    await pass(OUTAGE_MS - 1_000);
    expect(taken).toEqual([]);
    await pass(60_000);
    expect(taken).toEqual(['a']);
  });

  it('has forgotten what its replica was not told when that takes over', async () => {
    const { network, brings, taken, pass } = await world();
    network.disturb('redis-failover');
    brings.addAfter('a', 2 * LAG_MS);
    await pass(10 * LAG_MS);
    expect(taken).toEqual([]);
  });

  it('forgets nothing once faults have ended, though a replica was about to take over', async () => {
    const { network, faults, brings, taken, pass } = await world();
    network.disturb('redis-failover');
    brings.addAfter('a', 2 * LAG_MS);
    faults.active = false;
    network.heal();
    await pass(10 * LAG_MS);
    expect(taken).toEqual(['a']);
  });
});
