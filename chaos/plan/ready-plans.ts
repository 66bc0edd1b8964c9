/** A plan that produces one pattern of failure. */
export interface ReadyPlan {
  readonly says: string;
  /** Number of variants. Variant n leaves the first n - 1 possible places without a fault. */
  readonly variants: number;
  /** Returns the source of a variant of the plan. */
  text(variant: number): string;
}

/** Verbs that change objects one by one. */
const WRITE = ['create', 'update', 'patch', 'delete'];
const CHANGE = ['update', 'patch', 'delete'];

const plan = (says: string, variants: number, rules: (skip: number) => readonly object[]): ReadyPlan => ({
  says,
  variants,
  text: (variant) => `${JSON.stringify({ rules: rules(variant - 1) }, null, 2)}\n`,
});

/** Maximum number of faults of a rule in one run. */
const FEW = { times: 3 };
const CHANGED = ['ADDED', 'MODIFIED', 'DELETED'];

/** Plans by name. Plans that find the most bugs come first, because `--search` tries them in this order. */
export const readyPlans: Readonly<Record<string, ReadyPlan>> = {
  'unobserved-delete': plan('watches miss removals, and new lists show only their result', 2, (skip) => [
    {
      name: 'missed',
      match: { verb: 'watch', event: 'DELETED', skip, times: 6 },
      fault: { name: 'expired-watch', lasts: '2s' },
    },
  ]),
  'delete-while-down': plan('objects are removed while the client is down', 2, (skip) => [
    {
      name: 'crashed',
      match: { verb: 'watch', event: 'DELETED', skip, ...FEW },
      fault: { name: 'crash', lasts: '3s' },
    },
  ]),
  'late-write': plan('a write fails for the client and is carried out later', 2, (skip) => [
    { name: 'late', match: { verb: CHANGE, skip, times: 2 }, fault: { name: 'zombie', lasts: '4s' } },
  ]),
  'stale-restart': plan(
    'the client crashes at a removal and restarts with the state before it',
    2,
    (skip) => [
      {
        name: 'crashed',
        match: { verb: 'watch', event: 'DELETED', skip, times: 1 },
        fault: { name: 'crash', lasts: '1s' },
      },
      {
        name: 'stale',
        match: { verb: 'list', cached: true, since: 'crashed' },
        fault: { name: 'stale-list', age: '3s', oldest: true },
      },
      {
        name: 'lagging',
        match: { verb: 'watch', event: 'OPEN', since: 'crashed' },
        fault: { name: 'late-events', lasts: '4s' },
      },
    ],
  ),
  'lost-response': plan('writes are carried out, and their responses are lost', 3, (skip) => [
    { name: 'lost', match: { verb: WRITE, skip, ...FEW }, fault: 'lost-response' },
  ]),
  'failed-reads': plan('gets and lists fail with 500', 2, (skip) => [
    {
      name: 'failing',
      match: { verb: ['get', 'list'], skip: 3 + 2 * skip, probability: 0.5, times: 6 },
      fault: 'server-error',
    },
  ]),
  'crash-between': plan('the client crashes between two writes', 4, (skip) => [
    { name: 'crashed', match: { verb: WRITE, skip, ...FEW }, fault: 'crash-after' },
  ]),
  'slow-write': plan('changes arrive late, after the objects changed', 2, (skip) => [
    { name: 'slow', match: { verb: CHANGE, skip, ...FEW }, fault: { name: 'slow-request', lasts: '5s' } },
  ]),
  'lagging-cache': plan('every watch delivers its events late', 1, () => [
    { name: 'lagging', match: { verb: 'watch' }, fault: { name: 'late-events', lasts: '4s' } },
  ]),
  'paused-client': plan('the client is suspended while objects change', 2, (skip) => [
    {
      name: 'paused',
      match: { verb: 'watch', event: CHANGED, skip: skip * 2, times: 2 },
      fault: { name: 'pause', lasts: '5s' },
    },
  ]),
  'silent-watch': plan('a watch falls silent and breaks later', 2, (skip) => [
    {
      name: 'silent',
      match: { verb: 'watch', event: CHANGED, skip: skip * 2, times: 2 },
      fault: { name: 'silent-watch', lasts: '5s' },
    },
  ]),
  'conflict-storm': plan('most changes are refused with 409', 1, () => [
    { name: 'conflicts', match: { verb: CHANGE, probability: 0.8, times: 12 }, fault: 'conflict' },
  ]),
  throttled: plan('the API server asks for patience with 429', 1, () => [
    {
      name: 'throttled',
      match: { verb: WRITE, times: 8 },
      fault: { name: 'too-many-requests', retryAfter: '2s' },
    },
  ]),
  'server-errors': plan('writes fail with 500', 1, () => [
    { name: 'failing', match: { verb: WRITE, probability: 0.6, times: 8 }, fault: 'server-error' },
  ]),
  'repeated-events': plan('events are delivered twice', 1, () => [
    { name: 'repeated', match: { verb: 'watch', times: 20 }, fault: { name: 'repeated-event', lasts: '1s' } },
  ]),
  'cut-watches': plan('watches break again and again', 1, () => [
    { name: 'cut', match: { verb: 'watch', event: CHANGED, probability: 0.5, times: 8 }, fault: 'cut-watch' },
  ]),
};

const NAME = /^([a-z-]+)(?::(\d+))?$/;

/**
 * Returns the source of the plan with a name such as `crash-between:2`. Undefined if there is no such plan or
 * variant.
 */
export function readyPlanText(name: string): string | undefined {
  const [, base = '', variant = '1'] = NAME.exec(name) ?? [];
  const found = Object.hasOwn(readyPlans, base) ? readyPlans[base] : undefined;
  return found !== undefined && Number(variant) >= 1 ? found.text(Number(variant)) : undefined;
}

/** Returns the names of all variants. The first variants of all plans precede the second ones. */
export function readyPlanNames(): readonly string[] {
  const all = Object.entries(readyPlans);
  const most = Math.max(...all.map(([, { variants }]) => variants));
  return Array.from({ length: most }, (_, i) => i + 1).flatMap((variant) =>
    all.flatMap(([name, { variants }]) =>
      variant > variants ? [] : variant === 1 ? name : `${name}:${variant}`,
    ),
  );
}
