import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../base/log/logger.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import type { WorkQueue } from '../../runtime/index.ts';
import type { Tape } from '../tape/tape.ts';
import { NO_ODDS, createFaults } from './faults.ts';
import { createRedisNetwork } from './redis-network.ts';
import { type Process, createNode, createProcess, createTimeline } from './timeline.ts';

/** Tape without random faults. Explicit faults last as long as possible. */
const tape: Tape = {
  choose: (label, n) => (label.startsWith('lasting') ? n - 1 : 0),
  deviations: () => [],
  draws: 0,
};
/** Longest partition and outage in milliseconds. */
const PARTITION_MS = 300_000;
const OUTAGE_MS = 60_000;
/** Maximum replication lag of a replica in milliseconds. */
const LAG_MS = 5_000;

/**
 * Creates two managers that share a queue. Manager `one` runs keys and is affected by partitions; manager
 * `two` adds keys.
 */
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
    // Adds a step, so that work started outside of steps continues.
    timeline.plan(0, 'begin', () => {});
    while (await timeline.step(untilMs));
  };
  void queueOf(one, 2).run(async (key) => void taken.push(key));
  const adds = queueOf(two, 3);
  // Connections are established on first use.
  adds.add('first');
  await pass(60_000);
  expect(taken.splice(0)).toEqual(['first']);
  return { network, faults, taken, adds, pass };
}

describe('the Redis of a simulated world', () => {
  it('delivers a key that one process adds to another process that waits for it', async () => {
    const { adds, taken, pass } = await world();
    adds.add('a');
    await pass(100);
    expect(taken).toEqual(['a']);
  });

  it('delivers no keys to a partitioned process until the partition ends', async () => {
    const { network, adds, taken, pass } = await world();
    network.disturb('redis-partition');
    adds.add('a');
    await pass(PARTITION_MS - 1_000);
    expect(taken).toEqual([]);
    await pass(60_000);
    expect(taken).toEqual(['a']);
  });

  it('is reachable immediately after `heal`', async () => {
    const { network, adds, taken, pass } = await world();
    network.disturb('redis-partition');
    adds.add('a');
    await pass(1_000);
    network.heal();
    await pass(60_000);
    expect(taken).toEqual(['a']);
  });

  it('serves no process during an outage', async () => {
    const { network, adds, taken, pass } = await world();
    network.disturb('redis-restart');
    adds.add('a');
    await pass(OUTAGE_MS - 1_000);
    expect(taken).toEqual([]);
    await pass(60_000);
    expect(taken).toEqual(['a']);
  });

  it('loses writes that were not replicated before a failover', async () => {
    const { network, adds, taken, pass } = await world();
    network.disturb('redis-failover');
    adds.addAfter('a', 2 * LAG_MS);
    await pass(10 * LAG_MS);
    expect(taken).toEqual([]);
  });

  it('loses no keys after the faults have ended, even if a failover is pending', async () => {
    const { network, faults, adds, taken, pass } = await world();
    network.disturb('redis-failover');
    adds.addAfter('a', 2 * LAG_MS);
    faults.active = false;
    network.heal();
    await pass(10 * LAG_MS);
    expect(taken).toEqual(['a']);
  });
});
