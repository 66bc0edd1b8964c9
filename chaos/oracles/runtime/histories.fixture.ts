import type { Happening } from './observation.ts';

/** An observation, by default at time 0 in the process `manager`. */
export type Step = Happening & { readonly atMs?: number; readonly process?: string };

/** Id of an invariant, name of the case, a violating history, and a correct one. */
export type RuntimeHistory = readonly [
  id: string,
  about: string,
  breaks: readonly Step[],
  keeps: readonly Step[],
];

const INFORMER = '/pods #1';
const applied = (version: string, previous?: string, key = 'team/a'): Step => ({
  type: 'notified',
  informer: INFORMER,
  change: 'apply',
  key,
  version,
  previous,
});
const deleted = (version: string): Step => ({
  type: 'notified',
  informer: INFORMER,
  change: 'delete',
  key: 'team/a',
  version,
});
const cache = (cached: Record<string, string>, server = cached, differing?: string): Step => ({
  type: 'cache',
  informer: INFORMER,
  cached,
  server,
  differing,
});
const index = (kept: Record<string, string[]>, recomputed = kept): Step => ({
  type: 'index',
  informer: INFORMER,
  index: 'owner',
  kept,
  recomputed,
});

const QUEUE = 'job';
const started = (workers: number, atMs = 0): Step => ({ type: 'queue.started', queue: QUEUE, workers, atMs });
const added = (key: string, atMs = 0, delayMs = 0): Step => ({
  type: 'queue.added',
  queue: QUEUE,
  key,
  delayMs,
  atMs,
});
const took = (key: string, atMs = 0, pausedUntilMs = 0): Step => ({
  type: 'queue.took',
  queue: QUEUE,
  key,
  pausedUntilMs,
  atMs,
});
const finished = (key: string, atMs = 0): Step => ({ type: 'queue.finished', queue: QUEUE, key, atMs });
const timer = (atMs: number): Step => ({ type: 'queue.timer', queue: QUEUE, atMs });
const quiescent = (atMs: number): Step => ({ type: 'quiescent', pausedUntilMs: 0, atMs });

type Written = 'write.sent' | 'write.unanswered';
const requestOf =
  (call: string, body: string) =>
  (type: Written, isConditional = false): Step => {
    const of = { identity: `1 ${call} ${body}`, call };
    return type === 'write.sent' ? { type, ...of } : { type, ...of, isConditional };
  };
const write = requestOf('job POST /pods', '{"generateName":"a-"}');
const named = requestOf('job POST /pods', '{"name":"a"}');
const change = requestOf('job PATCH /pods/a', '{}');
const event = requestOf('events POST /events', '{"name":"a.1"}');

const informerHistories: readonly RuntimeHistory[] = [
  [
    'process/cache-equals-server',
    'an object is missing',
    [cache({}, { 'team/a': 'a@1' })],
    [cache({ 'team/a': 'a@1' })],
  ],
  [
    'process/cache-equals-server',
    'an object is left over',
    [cache({ 'team/a': 'a@1' }, {})],
    [cache({}, {})],
  ],
  [
    'process/cache-equals-server',
    'an object is old',
    [cache({ 'team/a': 'a@1' }, { 'team/a': 'a@2' })],
    [cache({ 'team/a': 'a@2' })],
  ],
  [
    'process/cache-equals-server',
    'an object of the same version has other content',
    [cache({ 'team/a': 'a@1' }, { 'team/a': 'a@1' }, 'team/a')],
    [cache({ 'team/a': 'a@1' })],
  ],
  [
    'process/index-equals-recomputation',
    'an object stays under an old value',
    [index({ x: ['team/a a@1'], y: ['team/a a@2'] }, { y: ['team/a a@2'] })],
    [index({ y: ['team/a a@2'] })],
  ],
  [
    'process/index-equals-recomputation',
    'an object is missing',
    [index({}, { y: ['team/a a@2'] })],
    [index({ x: ['team/b b@1'], y: ['team/a a@2'] })],
  ],
  [
    'process/change-notified-once',
    'a deletion is not reported',
    [applied('a@1'), cache({})],
    [applied('a@1'), deleted('a@1'), cache({})],
  ],
  [
    'process/change-notified-once',
    'a deletion is reported twice',
    [applied('a@1'), deleted('a@1'), deleted('a@1')],
    [applied('a@1'), deleted('a@2'), applied('b@3'), deleted('b@3')],
  ],
  [
    'process/change-notified-once',
    'a change is skipped',
    [applied('a@1'), applied('a@3', 'a@2')],
    [applied('a@1'), applied('a@3', 'a@1')],
  ],
  [
    'process/change-notified-once',
    'a change is reported twice',
    [applied('a@1'), applied('a@1', 'a@1')],
    [applied('a@1'), applied('a@2', 'a@1')],
  ],
  [
    'process/change-notified-once',
    'a new object is not reported',
    [applied('a@1'), cache({ 'team/a': 'a@1', 'team/b': 'b@2' })],
    [applied('a@1'), { type: 'started' }, applied('a@1'), cache({ 'team/a': 'a@1' })],
  ],
  [
    'process/bookmark-is-no-object',
    'an object without a name',
    [{ type: 'bookmark', informer: INFORMER }, applied('@7', undefined, '')],
    [{ type: 'bookmark', informer: INFORMER }, applied('a@7')],
  ],
  [
    'process/version-never-older',
    'an older version follows',
    [applied('a@9'), applied('a@10', 'a@9'), applied('a@9', 'a@10')],
    [applied('a@9'), applied('a@10', 'a@9')],
  ],
  [
    'process/version-never-older',
    'a deleted object returns',
    [applied('a@9'), deleted('a@10'), applied('a@9')],
    [applied('a@9'), deleted('a@10'), applied('b@8'), applied('b@11', 'b@8')],
  ],
];

const queueHistories: readonly RuntimeHistory[] = [
  [
    'process/free-worker-takes-due-key',
    'a key waits for a free worker',
    [started(1), added('a'), took('a', 2_000)],
    [added('a'), started(1, 5_000), took('a', 5_000)],
  ],
  [
    'process/free-worker-takes-due-key',
    'the other key has the only worker',
    [started(2), added('a'), added('b'), took('a'), took('b', 2_000)],
    [started(1), added('a'), added('b'), took('a'), finished('a', 9_000), took('b', 9_000)],
  ],
  [
    'process/free-worker-takes-due-key',
    'an add during the reconcile waits for the time that the reconcile asked for',
    [started(1), added('a'), took('a'), added('a'), added('a', 0, 60_000), finished('a'), took('a', 60_000)],
    [
      started(1),
      added('a'),
      took('a'),
      added('a'),
      added('a', 0, 60_000),
      finished('a'),
      took('a'),
      finished('a'),
      timer(60_000),
      took('a', 60_000),
    ],
  ],
  [
    'process/free-worker-takes-due-key',
    'a delayed key is taken late',
    [started(1), added('a', 0, 10_000), timer(20_000), took('a', 20_000)],
    [started(1), added('a', 0, 10_000), added('a', 0, 20_000), timer(10_000), took('a', 10_000)],
  ],
  [
    'process/free-worker-takes-due-key',
    'a key is forgotten',
    [started(1), added('b'), took('b'), added('a'), finished('b'), quiescent(90_000)],
    [started(1), added('b'), took('b'), added('a'), quiescent(90_000)],
  ],
  [
    'process/free-worker-takes-due-key',
    'a delayed key is forgotten',
    [started(1), added('b'), took('b'), finished('b'), added('a', 0, 5_000), quiescent(90_000)],
    [started(1), added('b'), took('b'), finished('b'), added('a', 0, 95_000), quiescent(90_000)],
  ],
  [
    'process/free-worker-takes-due-key',
    'the process was paused before the add',
    [started(1), added('a', 9_000), took('a', 20_000, 5_000)],
    [started(1), added('a', 9_000), took('a', 20_000, 20_000)],
  ],
  [
    'process/key-taken-once-for-an-add',
    'two workers have one key',
    [started(2), added('a'), took('a'), added('a'), took('a')],
    [started(2), added('a'), took('a'), added('a'), finished('a'), took('a')],
  ],
  [
    'process/key-taken-once-for-an-add',
    'a timer fires in the instant of another add',
    [
      started(1),
      added('a', 0, 50),
      added('a', 50),
      timer(50),
      took('a', 50),
      finished('a', 50),
      took('a', 50),
    ],
    [
      started(1),
      added('a', 0, 50),
      added('a', 50),
      took('a', 50),
      added('a', 50, 1_000),
      finished('a', 50),
      timer(50),
      took('a', 50),
    ],
  ],
  [
    'process/key-taken-once-for-an-add',
    'a key is taken again without an add',
    [started(1), added('a'), took('a'), finished('a'), took('a')],
    [started(1), added('a'), took('a'), finished('a'), added('a', 0, 50), timer(50), took('a', 50)],
  ],
];

const requestHistories: readonly RuntimeHistory[] = [
  [
    'process/no-unsafe-repetition',
    'a creation is repeated',
    [write('write.sent'), write('write.unanswered'), write('write.sent')],
    // Two equal creations at the same time create different objects with generated names.
    [write('write.sent'), write('write.sent'), write('write.unanswered')],
  ],
  [
    'process/no-unsafe-repetition',
    'a write without conditions is repeated',
    [change('write.sent'), change('write.unanswered'), change('write.sent')],
    [
      change('write.sent'),
      change('write.unanswered', true),
      change('write.sent'),
      change('write.unanswered'),
      { type: 'started' },
      change('write.sent'),
    ],
  ],
  [
    'process/no-unsafe-repetition',
    'a creation under a given name is repeated without a read',
    [named('write.sent'), named('write.unanswered', true), named('write.sent')],
    [
      named('write.sent'),
      named('write.unanswered', true),
      { type: 'read.sent', call: 'job GET /pods/a' },
      named('write.sent'),
      // A recorder treats the rejection of its Event as success.
      event('write.sent'),
      event('write.unanswered', true),
      event('write.sent'),
    ],
  ],
];

/** Returns failures of one watch at intervals, with a success after some of them. */
const failures = (everyMs: number, successAfter = Infinity): readonly Step[] =>
  Array.from({ length: 30 }, (_, at) => ({
    type: 'fetch.ended' as const,
    call: 'manager GET /api/v1/pods',
    isFailure: at !== successAfter,
    atMs: at * everyMs,
  }));
const paceHistories: readonly RuntimeHistory[] = [
  ['process/failing-read-backs-off', 'a watch fails every 400 ms', failures(400), failures(1_000)],
  ['process/failing-read-backs-off', 'a watch never succeeds', failures(400), failures(400, 15)],
];

export const runtimeHistories: readonly RuntimeHistory[] = [
  ...informerHistories,
  ...queueHistories,
  ...requestHistories,
  ...paceHistories,
];
