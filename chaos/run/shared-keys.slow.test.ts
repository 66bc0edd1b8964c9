import { describe, expect, it } from 'vitest';
import { type JournalEntry, createJournal } from '../../runtime/index.ts';
import type { QueueServer } from '../../runtime/queue/index.ts';
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

/**
 * CronJobs whose schedule changes long before they are due. The other process may have done the previous
 * reconcile.
 */
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

/** Controllers whose changes all wait for a time. */
const LEFT_TO_TIME = ['ttlafterfinished', 'tokencleaner'];

/** Returns the journal of a run without faults. */
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

/** A server that hides from the queue that Redis lost its data. */
const forgetsUnseen = (server: QueueServer): QueueServer => ({
  ...server,
  timers: (prefix) => {
    const timers = server.timers(prefix);
    return { ...timers, take: async (limit) => ({ ...(await timers.take(limit)), generation: 'the same' }) };
  },
});

/** A server whose locks expire earlier than their holders expect. */
const locksForTooShort = (server: QueueServer): QueueServer => ({
  ...server,
  worker: (prefix, process, options) =>
    server.worker(prefix, process, { ...options, lockDuration: 50, stalledInterval: 50 }),
});

/** A server that never delivers delayed keys. */
const losesTimers = (server: QueueServer): QueueServer => ({
  ...server,
  timers: (prefix) => {
    const timers = server.timers(prefix);
    return { ...timers, take: async (limit) => ({ ...(await timers.take(limit)), due: [] }) };
  },
});

/** A server that accepts keys but loses the first response to each add. */
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

describe('controller managers with shared keys', () => {
  it('run identically for the same seed, both random and replayed', async () => {
    for (const seed of [1, 2]) {
      const result = await runSeed(seed, { plan, subject, verify: true });
      expect([result.verdict, result.reason, result.failure]).toEqual(['PASS', undefined, undefined]);
    }
  });

  it('cover a change that both managers observe with one reconcile', async () => {
    const noted = await calmRun();
    const count = (kind: JournalEntry['kind']): number => noted.filter((each) => each.kind === kind).length;
    expect(count('reconcile.started')).toBeGreaterThan(0);
    expect(count('covered')).toBeGreaterThan(count('reconcile.started') / 4);
  });

  it('follow a changed schedule, whichever manager reconciles it', async () => {
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

  // One manager only, because a key that another manager enqueued may be taken early.
  it('may reconcile a key twice if its add was retried long before the requested time', async () => {
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

  it.each(sharedKeyFaults.filter(isRedisFault))('tolerate %s', async (name) => {
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

  it('end with UNKNOWN if a queue uses a command that the simulated Redis does not serve', async () => {
    const queueServer = (server: QueueServer): QueueServer => ({
      ...server,
      changes: (prefix) => ({ ...server.changes(prefix), offer: () => notServed('offers') }),
    });
    const result = await runSeed(1, { plan, subject: { ...subject, queueServer }, verify: false });
    expect([result.verdict, result.reason]).toEqual(['UNKNOWN', 'the simulated redis does not serve offers']);
  });

  it('never reconcile a key concurrently, and reach the premise of that invariant', async () => {
    const calm = { ...plan, faults: ['redis-partition', 'redis-restart', 'pause', 'crash'] as const };
    const results = [];
    for (const seed of [1, 2, 3, 4])
      results.push(await runSeed(seed, { plan: calm, subject, verify: false }));
    const { invariants, failures } = summarize(results, calm);
    expect(failures.map(({ seed, failure }) => [seed, failure])).toEqual([]);
    expect(invariants.find(({ id }) => id === 'queue/no-effect-of-taken-key')?.reached).toBeGreaterThan(0);
  });

  it.each<[string, NonNullable<Subject['queueServer']>, Plan['faults'], RegExp]>([
    [
      'that does not notice lost data',
      forgetsUnseen,
      ['redis-flush'],
      /expired-is-deleted$|bootstrap-token-expires$/,
    ],
    [
      'with locks that expire too early',
      locksForTooShort,
      ['slow-request', 'slow-response'],
      /later-reconcile|taken-key|no-early-key/,
    ],
    [
      'without delayed keys',
      losesTimers,
      ['unavailable', 'redis-slow'],
      /expired-is-deleted$|bootstrap-token-expires$|no-forgotten-requeue$/,
    ],
  ])('violate an invariant on a queue %s', async (_, queueServer, faults, invariant) => {
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
