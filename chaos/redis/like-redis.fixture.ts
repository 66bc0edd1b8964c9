import type { JobsOptions, JobType, Queue, Worker } from 'bullmq';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import type { KeyChanges, KeyTimers } from '../../runtime/queue/index.ts';
import type { Keys } from './keyspace.ts';
import { List } from './list.ts';
import { SortedSet } from './sorted-set.ts';

/** The queue, timers and changes of one server, which is real or simulated. */
export interface Side {
  readonly queue: Queue;
  readonly worker: Worker;
  readonly timers: KeyTimers;
  readonly changes: KeyChanges;
  delete(key: string): Promise<unknown>;
  /** Returns all keys of the server with their values. */
  dump(): Promise<object>;
}

/** One operation on a server. */
export interface Operation {
  readonly text: string;
  run(side: Side): Promise<unknown>;
}

const backendOf = ({ worker }: Side) => worker.getBackend();
type Backend = ReturnType<typeof backendOf>;

const operation = (text: string, run: Operation['run']): Operation & fc.WithToStringMethod => ({
  text,
  run,
  [fc.toStringMethod]: () => text,
});
const onBackend = (text: string, run: (backend: Backend) => Promise<unknown>): Operation =>
  operation(text, (side) => run(backendOf(side)));

const JOB_IDS = ['1', '2', '3', '4', '5', '6', 'own-a', 'own-b'] as const;
const LONG_MS = 10_000_000;
const jobId = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('1', '2', '3') }, fc.constantFrom(...JOB_IDS));
const token = fc.constantFrom('t0', 't1');
const isSet = fc.boolean();
const keep = fc.constantFrom<boolean | number | { age: number; count?: number }>(true, false, 1, {
  age: 100,
  count: 3,
});

const deduplication = fc.constantFrom(
  undefined,
  { id: 'a', keepLastIfActive: true },
  { id: 'b', keepLastIfActive: true },
  { id: 'a' },
  { id: 'b', ttl: LONG_MS },
  { id: 'a', ttl: LONG_MS, extend: true },
  { id: 'a', replace: true, ttl: LONG_MS },
  { id: 'b', replace: true, keepLastIfActive: true },
  { id: 'a', extend: true, ttl: LONG_MS, keepLastIfActive: true },
  { id: 'b', reschedule: true },
);

const options = (ids: readonly string[]) =>
  fc.record({
    deduplication,
    delay: fc.constantFrom(undefined, undefined, 100, 5_000),
    priority: fc.constantFrom(undefined, undefined, 2, 7),
    lifo: fc.constantFrom(undefined, true),
    jobId: fc.constantFrom(undefined, ...ids),
  });

const add = (ids: readonly string[]) =>
  fc.array(options(ids), { minLength: 1, maxLength: 3 }).map((all) =>
    operation(`add ${JSON.stringify(all)}`, async ({ queue }) => {
      const jobs = await queue.addBulk(
        all.map((opts, i) => ({
          name: 'key',
          data: { i },
          opts: JSON.parse(JSON.stringify(opts)) as JobsOptions,
        })),
      );
      return jobs.map((job) => job.id);
    }),
  );

const take = token.map((by) => onBackend(`take by ${by}`, (backend) => backend.moveToActive(by, 'w')));

/** Operation that takes the marker, as a worker does before it takes a job. */
const takeMarker = fc.constant(
  operation('take the marker', (side) => side.delete(side.queue.toKey('marker'))),
);

const job = (id: string) => ({ id, opts: { attempts: 3 } }) as never;

const finish = fc
  .tuple(fc.constantFrom('moveToCompleted' as const, 'moveToFailed' as const), jobId, token, keep, isSet)
  .map(([name, id, by, kept, next]) =>
    onBackend(`${name} ${id} by ${by} keep ${JSON.stringify(kept)} next ${next}`, (backend) =>
      backend[name](job(id), 'done' as never, kept, by, next),
    ),
  );

const giveBack = fc.tuple(jobId, token, isSet).chain(([id, by, flag]) =>
  fc.constantFrom(
    onBackend(`retry ${id} by ${by} lifo ${flag}`, (backend) =>
      backend.retryJob(id, flag, by, { fieldsToUpdate: { failedReason: 'no' } }),
    ),
    onBackend(`delay ${id} by ${by} next ${flag}`, (backend) =>
      backend.moveToDelayed(id, Date.UTC(2026, 0, 1), 300, by, { fetchNext: flag }),
    ),
    onBackend(`to wait ${id} by ${by}`, (backend) => backend.moveJobFromActiveToWait(id, by)),
    onBackend(`extend ${id} by ${by}`, (backend) => backend.extendLock(id, by, LONG_MS)),
    onBackend(`extend all by ${by}`, (backend) =>
      backend.extendLocks(['1', '2', id], [by, 't0', by], LONG_MS),
    ),
  ),
);

const loseLocks = async (side: Side): Promise<void> => {
  for (const id of JOB_IDS) await side.delete(`${side.queue.toKey(id)}:lock`);
};
const checkAgain = async (side: Side): Promise<readonly string[]> => {
  await side.delete(side.queue.toKey('stalled-check'));
  return backendOf(side).moveStalledJobsToWait();
};

const stalled = fc.constantFrom(
  onBackend('check stalled', (backend) => backend.moveStalledJobsToWait()),
  operation('check stalled again', checkAgain),
  operation('lose locks', loseLocks),
  operation('all workers die', async (side) => {
    await loseLocks(side);
    return [await checkAgain(side), await checkAgain(side)];
  }),
);

const change = fc.tuple(jobId, isSet).chain(([id, flag]) =>
  fc.constantFrom(
    onBackend('pause', (backend) => backend.pause(true)),
    onBackend('resume', (backend) => backend.pause(false)),
    onBackend('resume', (backend) => backend.pause(false)),
    operation(`at most ${flag ? 1 : 3}`, ({ queue }) => queue.setGlobalConcurrency(flag ? 1 : 3)),
    operation('any number', ({ queue }) => queue.removeGlobalConcurrency()),
    operation('any number', ({ queue }) => queue.removeGlobalConcurrency()),
    onBackend(`remove ${id}`, (backend) => backend.remove(id, false)),
    onBackend(`promote ${id}`, (backend) => backend.promote(id)),
    onBackend(`change delay ${id}`, (backend) => backend.changeDelay(id, 200)),
    onBackend(`drain ${flag}`, (backend) => backend.drain(flag)),
    onBackend(`update ${id}`, (backend) => backend.updateData({ id } as never, { other: true })),
    onBackend(`release a of ${id}`, (backend) => backend.removeDeduplicationKey('a', id)),
    onBackend(`release b`, (backend) => backend.deleteDeduplicationKey('b')),
    operation('lose a job', (side) => side.delete(side.queue.toKey(id))),
  ),
);

const STATES: readonly JobType[] = ['waiting', 'active', 'delayed', 'prioritized', 'completed', 'failed'];
const bound = fc.constantFrom(0, 1, 2, -1, -2);

const read = fc.tuple(jobId, bound, bound, isSet).chain(([id, from, to, ascending]) =>
  fc.constantFrom(
    operation(`jobs ${from} to ${to} ${ascending}`, async ({ queue }) =>
      (await queue.getJobs([...STATES], from, to, ascending)).map((each) => each.toJSON()),
    ),
    onBackend(`ranges ${from} to ${to} ${ascending}`, (backend) =>
      backend.getRanges([...STATES], from, to, ascending),
    ),
    onBackend('counts', (backend) => backend.getCounts([...STATES])),
    onBackend(`state of ${id}`, (backend) => backend.getState(id)),
    onBackend(`finished ${id}`, (backend) => backend.isFinished(id, ascending)),
    onBackend('maxed', (backend) => backend.isMaxed()),
    onBackend(`data of ${id}`, (backend) => backend.getJobData(id)),
    onBackend('who has a', (backend) => backend.getDeduplicationJobId('a')),
    onBackend(`in wait ${id}`, (backend) => backend.isJobInState('waiting', id)),
    onBackend(`in delayed ${id}`, (backend) => backend.isJobInState('delayed', id)),
    onBackend('meta', (backend) => backend.getQueueMeta()),
  ),
);

/**
 * Delays of keys in milliseconds. They are minutes apart, because the servers' clocks differ and equal due
 * times would be ordered by name.
 */
const DUE_FOR_MS = { x: 120_000, y: 60_000, z: 180_000 };
const key = fc.constantFrom('x' as const, 'y' as const, 'z' as const);

const keys = fc.tuple(fc.array(key, { minLength: 1, maxLength: 3 }), isSet).chain(([names, now]) =>
  fc.constantFrom(
    operation(`timers ${names.join(' ')} ${now ? 'due' : 'later'}`, ({ timers }) =>
      timers.add(
        names.map((name, i) => ({ key: name, delayMs: now ? -DUE_FOR_MS[name] : LONG_MS, retries: i })),
      ),
    ),
    operation('take timers', async ({ timers }) => {
      const { due, nextMs } = await timers.take(2);
      return { due: due.toSorted((a, b) => (a.key < b.key ? -1 : 1)), isNext: nextMs !== undefined };
    }),
    operation(`done ${names.join(' ')}`, ({ timers }) => timers.done(names)),
    operation('size', ({ timers }) => timers.size()),
    operation(`offer ${names.join(' ')}`, async ({ changes }) =>
      (await changes.offer(names)).map((claim) => (claim === 'yours' ? claim : claim.covered)),
    ),
    operation(`claim ${names.join(' ')}`, ({ changes }) => changes.claim(names)),
    operation(`covered ${names.join(' ')}`, ({ changes }) => changes.covered(names)),
  ),
);

const sequences = (ids: readonly string[], others: readonly fc.WeightedArbitrary<Operation>[]) =>
  fc.array(
    fc.oneof(
      { weight: 5, arbitrary: add(ids) },
      { weight: 5, arbitrary: take },
      { weight: 1, arbitrary: takeMarker },
      { weight: 5, arbitrary: finish },
      { weight: 2, arbitrary: giveBack },
      { weight: 2, arbitrary: change },
      { weight: 3, arbitrary: read },
      { weight: 2, arbitrary: keys },
      ...others,
    ),
    { minLength: 10, maxLength: 60 },
  );

/**
 * Sequences of operations of several clients, mostly adds and takes. Sequences with custom job ids contain no
 * check for stalled jobs, because Redis does not order sets of non-integers.
 */
export const operations = fc.oneof(
  sequences([], [{ weight: 2, arbitrary: stalled }]),
  sequences(['own-a', 'own-b'], []),
);

/** Keys whose values differ between servers, because they contain times or random ids. */
const OWN = /:(?:timer|timer-taken|claimed|covered|generation|stalled-check)$/;
const isStream = (name: string): boolean => name.endsWith(':events');
const isPastValue = (name: string): boolean => OWN.test(name);

const sorted = <T>(entries: Iterable<readonly [string, T]>): Record<string, T> =>
  Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)));

const fieldsOf = (hash: Iterable<readonly [string, string]>) =>
  sorted([...hash].map(([name, text]) => [name, name === 'opts' ? (JSON.parse(text) as unknown) : text]));

const shownAs = (
  name: string,
  kind: string,
  value: unknown,
  expires: boolean,
): readonly [string, unknown] => [name, { kind, expires, ...(isPastValue(name) ? {} : { value }) }];

export function dumpOfMemory({ values, expiries }: Keys): object {
  const shown = [...values].map(([name, value]) => {
    const as = (kind: string, plain: unknown): readonly [string, unknown] =>
      shownAs(name, kind, plain, expiries.has(name));
    if (typeof value === 'string') return as('string', value);
    if (value instanceof Map) return as('hash', fieldsOf(value));
    if (value instanceof List) return as('list', value.range(0, -1));
    if (value instanceof SortedSet)
      return as(
        'zset',
        value.members().map((each) => [each, value.score(each)]),
      );
    return as('set', [...value].toSorted());
  });
  return sorted(shown);
}

const pairs = (flat: readonly string[]): (readonly [string, number])[] =>
  flat.flatMap((each, i): (readonly [string, number])[] =>
    i % 2 === 0 ? [[each, Number(flat[i + 1])]] : [],
  );

const readers: Readonly<Record<string, (client: Redis, name: string) => Promise<unknown>>> = {
  string: (client, name) => client.get(name),
  hash: async (client, name) => fieldsOf(Object.entries(await client.hgetall(name))),
  list: (client, name) => client.lrange(name, 0, -1),
  zset: async (client, name) => pairs(await client.zrange(name, '0', '-1', 'WITHSCORES')),
  set: async (client, name) => (await client.smembers(name)).toSorted(),
};

export async function dumpOfRedis(client: Redis, prefix: string): Promise<object> {
  const names = (await client.keys(`${prefix}*`)).filter((name) => !isStream(name));
  const shown = await Promise.all(
    names.map(async (name) => {
      const kind = await client.type(name);
      return shownAs(name, kind, await readers[kind]?.(client, name), (await client.pttl(name)) >= 0);
    }),
  );
  return sorted(shown);
}
