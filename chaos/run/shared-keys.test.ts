import { describe, expect, it } from 'vitest';
import { type JournalEntry, type QueueServer, createJournal } from '../../runtime/index.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { connectionClosed } from '../redis/command.ts';
import { notServed } from '../redis/job-queue.ts';
import { randomTape } from '../tape/tape.ts';
import { isRedisFault, sharedKeyFaults } from '../world/fault-kinds.ts';
import { NO_ODDS } from '../world/faults.ts';
import type { Action } from '../world/user.ts';
import { runSeed, summarize } from './campaign.ts';
import { type Subject, run } from './run.ts';
import { loadSubject } from './subject.ts';
import { type Plan, seeded } from './swarm.ts';

const controllers = ['job', 'namespace', 'serviceaccount', 'tokencleaner', 'ttlafterfinished'];
const subject = await loadSubject('orch', controllers);
const plan: Plan = {
  product: 'orch',
  selection: controllers,
  controllers,
  faults: sharedKeyFaults,
  budget: 5,
  lastsMs: 900_000,
  sharedKeys: true,
};

/** CronJobs whose schedule changes long before it is due: by then the other process may have had the pass about it. */
const rescheduled: readonly Action[] = [
  { atMs: 0, verb: 'create', resource: '/namespaces', namespace: '', name: 'team', object: {} },
  ...['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name, i): Action[] => {
    const cronJob = { resource: 'batch/cronjobs', namespace: 'team', name };
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const spec = { schedule: '*/15 * * * *', jobTemplate: { spec: { template } } };
    return [
      { atMs: 60_000 + i * 7_000, verb: 'create', ...cronJob, object: { spec } },
      {
        atMs: 1_000_000 + i * 11_000,
        verb: 'patch',
        ...cronJob,
        patch: { spec: { schedule: '50 * * * *' } },
      },
    ];
  }),
];

/** What they do they do when a time has come. */
const LEFT_TO_TIME = ['ttlafterfinished', 'tokencleaner'];

/** What the processes of a calm run noted. */
async function calmRun(): Promise<readonly JournalEntry[]> {
  const { scenario, random } = seeded(1, plan);
  const journal = createJournal({ clock: createSimulatedClock(), maxEntries: 100_000 });
  const outcome = await run({
    scenario: { ...scenario, mayStrike: [] },
    subject,
    tape: randomTape(random),
    swarm: { faults: [], budget: 0, odds: NO_ODDS, jitter: 0 },
    journal,
  });
  expect(outcome.verdict).toBe('PASS');
  return journal.read();
}

/** A Redis that has forgotten everything looks like one that has not. */
const forgetsUnseen = (server: QueueServer): QueueServer => ({
  ...server,
  timers: (prefix) => {
    const timers = server.timers(prefix);
    return { ...timers, take: async (limit) => ({ ...(await timers.take(limit)), generation: 'the same' }) };
  },
});

/** A lock that ends before its holder thinks it does. */
const locksForTooShort = (server: QueueServer): QueueServer => ({
  ...server,
  worker: (prefix, process, options) =>
    server.worker(prefix, process, { ...options, lockDuration: 50, stalledInterval: 50 }),
});

/** What is to come up later never does. */
const losesTimers = (server: QueueServer): QueueServer => ({
  ...server,
  timers: (prefix) => {
    const timers = server.timers(prefix);
    return { ...timers, take: async (limit) => ({ ...(await timers.take(limit)), due: [] }) };
  },
});

/** Takes keys in, and gives an answer only to whoever asks twice. */
const losesFirstAnswers = (server: QueueServer): QueueServer => ({
  ...server,
  queue: (prefix) => {
    const queue = server.queue(prefix);
    let adds = 0;
    const addBulk: typeof queue.addBulk = async (jobs) => {
      const added = await queue.addBulk(jobs);
      if (++adds % 2 === 1) throw connectionClosed();
      return added;
    };
    return Object.assign(Object.create(queue) as typeof queue, { addBulk });
  },
});

describe('controller managers that share their keys over a Redis', () => {
  it('go the same way for the same seed, by chance again and from the record', async () => {
    for (const seed of [1, 2]) {
      const result = await runSeed(seed, { plan, subject, verify: true });
      expect([result.verdict, result.reason, result.failure]).toEqual(['PASS', undefined, undefined]);
    }
  });

  it('cover with one pass what both of them see', async () => {
    const noted = await calmRun();
    const count = (kind: JournalEntry['kind']): number => noted.filter((each) => each.kind === kind).length;
    expect(count('pass.started')).toBeGreaterThan(0);
    expect(count('covered')).toBeGreaterThan(count('pass.started') / 4);
  });

  it('follow a new schedule from its change on, whichever of them has the pass', async () => {
    const own = { ...plan, selection: ['cronjob'], controllers: ['cronjob'], lastsMs: 3_600_000 };
    const cronJobs = await loadSubject('orch', ['cronjob']);
    for (const seed of [1, 5]) {
      const { scenario } = seeded(seed, { ...own, workload: rescheduled });
      const outcome = await run({
        scenario: { ...scenario, startMs: Date.UTC(2026, 0, 1), mayStrike: [] },
        subject: cronJobs,
        tape: randomTape(createSeededRandom(seed)),
        swarm: { faults: [], budget: 0, odds: NO_ODDS, jitter: 0.2 },
      });
      expect([outcome.verdict, outcome.failure?.broken]).toEqual(['PASS', undefined]);
    }
  });

  // Alone: what one has brought up another would be free to take early.
  it('may take a key twice whose add was sent once more, long before the time it asked for', async () => {
    const own = { ...plan, selection: ['cronjob'], controllers: ['cronjob'], lastsMs: 3_600_000 };
    const cronJobs = await loadSubject('orch', ['cronjob']);
    const { scenario, random } = seeded(1, { ...own, workload: rescheduled });
    const journal = createJournal({ clock: createSimulatedClock(), maxEntries: 100_000 });
    const outcome = await run({
      scenario: { ...scenario, managers: 1, mayStrike: [] },
      subject: { ...cronJobs, queueServer: losesFirstAnswers },
      tape: randomTape(random),
      swarm: { faults: [], budget: 0, odds: NO_ODDS, jitter: 0 },
      journal,
    });
    const kinds = new Set(journal.read().map(({ kind }) => kind));
    expect([outcome.verdict, outcome.failure?.broken, kinds.has('repeated')]).toEqual([
      'PASS',
      undefined,
      true,
    ]);
  });

  it.each(sharedKeyFaults.filter(isRedisFault))('outlive %s', async (name) => {
    const odds = { ...NO_ODDS, command: 0.01, redis: 0.5 };
    const results = [1, 2].map(async (seed) => {
      const { scenario } = seeded(seed, plan);
      return run({
        scenario: { ...scenario, mayStrike: [name] },
        subject,
        tape: randomTape(createSeededRandom(seed)),
        swarm: { faults: [name], budget: 5, odds, jitter: 0.02 },
      });
    });
    for (const outcome of await Promise.all(results)) {
      expect(new Set(outcome.strikes.map((strike) => strike.name))).toEqual(new Set([name]));
      expect([outcome.verdict, outcome.failure?.broken, outcome.reason]).toEqual([
        'PASS',
        undefined,
        undefined,
      ]);
    }
  });

  it('come to no end where a queue asks for what the Redis of the world does not serve', async () => {
    const queueServer = (server: QueueServer): QueueServer => ({
      ...server,
      changes: (prefix) => ({ ...server.changes(prefix), offer: () => notServed('offers') }),
    });
    const result = await runSeed(1, { plan, subject: { ...subject, queueServer }, verify: false });
    expect([result.verdict, result.reason]).toEqual(['UNKNOWN', 'the simulated redis does not serve offers']);
  });

  it('work on a key one at a time, which is put to the test', async () => {
    const calm = { ...plan, faults: ['redis-partition', 'redis-restart', 'pause', 'crash'] as const };
    const results = [];
    for (const seed of [1, 2, 3, 4])
      results.push(await runSeed(seed, { plan: calm, subject, verify: false }));
    const { invariants, failures } = summarize(results, calm);
    expect(failures.map(({ seed, failure }) => [seed, failure])).toEqual([]);
    expect(invariants.find(({ id }) => id === 'queue/Q5')?.reached).toBeGreaterThan(0);
  });

  it.each<[string, NonNullable<Subject['queueServer']>, Plan['faults'], RegExp]>([
    ['that does not see that Redis was emptied', forgetsUnseen, ['redis-flush'], /E1$/],
    [
      'whose locks end before their holders think so',
      locksForTooShort,
      ['slow-request', 'slow-response'],
      /G10|Q5/,
    ],
    ['that gives out no timers', losesTimers, ['unavailable', 'redis-slow'], /E1$|Q2/],
  ])('fail over a queue %s', async (_, queueServer, faults, invariant) => {
    let failed: string | undefined;
    for (let seed = 1; seed < 40 && failed === undefined; seed++)
      failed = (
        await runSeed(seed, {
          plan: { ...plan, selection: LEFT_TO_TIME, controllers: LEFT_TO_TIME, faults, budget: 20 },
          subject: { ...subject, queueServer },
          verify: false,
        })
      ).failure?.id;
    expect(failed).toMatch(invariant);
  });
});
