import { leases } from '../../api/groups/coordination-v1.ts';
import {
  type Commit,
  type Invariant,
  type ProcessEntry,
  type InvariantResult,
  invariant,
  isOf,
  objectOf,
  verdict,
} from './invariant.ts';
import {
  type Key,
  type Ledger,
  NOTED,
  byName,
  controllerOf,
  displayName,
  keyNameOf,
  note,
} from './key-ledger.ts';
import { holderOf } from './leaderelection.ts';

interface Books {
  readonly ledger: Ledger;
  /**
   * Time at which a process last took a key, by controller and key. With shared keys, one process may take a
   * key that another process enqueued.
   */
  readonly taken: Record<string, number>;
}

const isStart = ({ event }: ProcessEntry): boolean =>
  event !== 'started' && event.kind === 'reconcile.started';

function take({ ledger, taken }: Books, entry: ProcessEntry): Key | undefined {
  const { event, atMs } = entry;
  if (event !== 'started' && event.kind === 'reconcile.started') taken[keyNameOf(event)] = atMs;
  return note(ledger, entry);
}

/** Drops the keys of a term that ended: the next leader starts with all keys. */
function forgetTerms(books: Books, commit: Commit): InvariantResult<Books> {
  if (!isOf(commit, leases)) return verdict(books, false);
  if (holderOf(objectOf(commit, leases, 'after')) !== holderOf(objectOf(commit, leases, 'before')))
    for (const keys of Object.values(books.ledger))
      for (const name of Object.keys(keys))
        if (commit.name.endsWith(`-${controllerOf(name)}`)) delete keys[name];
  return verdict(books, false);
}

/** Maximum wait of a due key in milliseconds. */
const SLACK_MS = 5_000;
/**
 * Tolerance for early timers in milliseconds. Timers never fire early, but clocks are read in whole
 * milliseconds.
 */
const EARLY_MS = 2;
/** Duration in milliseconds that exceeds that of any reconcile. */
const LONGEST_RECONCILE_MS = 600_000;
/** Retry delay in milliseconds above which delays need not grow. */
const LONGEST_RETRY_MS = 1_000_000;
/** Minimum wait in milliseconds after a 429 response: its smallest `Retry-After`, minus a tolerance. */
const ASKED_MS = 900;

/**
 * Records how many more times a key may be delivered early where processes share keys.
 *
 * After a crash or the end of a term, a queue may deliver all keys again that the process had enqueued,
 * scheduled or taken. The same holds for keys that were added while a reconcile covered them, and after a
 * retried add.
 */
function leave({ ledger, left }: SharedBooks, { process, event }: ProcessEntry): void {
  const more = (name: string, times: number): void => void (left[name] = (left[name] ?? 0) + times);
  if (event === 'started' || event.kind === 'stopped') {
    for (const [name, { upMs, dueMs, pass }] of Object.entries(ledger[process] ?? {}))
      if (event === 'started' || controllerOf(name) === event.controller)
        more(name, [upMs, dueMs, pass].filter((each) => each !== undefined).length);
  } else if (event.kind === 'covered' || event.kind === 'repeated') more(keyNameOf(event), 1);
}

interface SharedBooks {
  readonly ledger: Ledger;
  readonly left: Record<string, number>;
}

/** True if the key is ready or due. */
const isTime = (key: Key | undefined, atMs: number): boolean =>
  key?.upMs !== undefined || (key?.dueMs ?? Infinity) <= atMs + EARLY_MS;

/** Due time of a key, and the time since which that due time is known. */
interface Turn {
  readonly dueMs: number;
  readonly knownMs: number;
}

/** Creates the invariant that some process took every due key. It is evaluated in a quiescent world. */
const neverForgotten = (id: string, says: string, turnOf: (key: Key) => Turn | undefined): Invariant =>
  invariant<Books>({
    id,
    says,
    controller: '*',
    kind: 'eventually',
    entries: NOTED,
    initial: () => ({ ledger: byName(), taken: byName() }),
    onCommit: forgetTerms,
    onEntry(books, entry) {
      const known = take(books, entry);
      return known && verdict(books, isStart(entry) && turnOf(known) !== undefined);
    },
    atRest(books, { nowMs }) {
      const { ledger, taken } = books;
      const forgotten = Object.entries(ledger).flatMap(([process, keys]) =>
        Object.entries(keys).flatMap(([name, key]) => {
          const { dueMs, knownMs } = turnOf(key) ?? NO_TURN;
          const isLate = nowMs - dueMs > SLACK_MS && key.beganMs === undefined;
          const isTaken = (taken[name] ?? -Infinity) >= knownMs;
          return isLate && !isTaken ? [`${process} has not taken ${displayName(name)}`] : [];
        }),
      );
      return verdict(books, false, forgotten[0]);
    },
  });

const NO_TURN: Turn = { dueMs: Infinity, knownMs: Infinity };

/** Number of deliveries in the current minute, by process and by key. */
type Rounds = Record<string, { minute: number; readonly times: Record<string, number> }>;
/**
 * Maximum number of deliveries of one key in a minute. More than 30 deliveries per second have no legitimate
 * cause.
 */
const MOST_A_MINUTE = 2_000;

/** Invariants of work queues and reconciliations, independent of the controller. */
export const reconcileInvariants: readonly Invariant[] = [
  invariant<Ledger>({
    id: 'generic/no-effect-after-later-reconcile',
    says: 'a reconcile starts no effect after a later reconcile of its key has started in the same process',
    controller: '*',
    kind: 'never',
    entries: [...NOTED, 'effect.started'],
    initial: byName,
    onEntry(ledger, entry) {
      const { event, process } = entry;
      if (event !== 'started' && event.kind === 'effect.started') {
        const latest = ledger[process]?.[keyNameOf(event)]?.pass;
        if (latest === undefined || latest === event.reconcileId) return undefined;
        return verdict(
          ledger,
          true,
          `${process} continues an earlier reconcile of ${event.controller} ${event.key}`,
        );
      }
      const known = note(ledger, entry);
      return known !== undefined && event !== 'started' && event.kind === 'reconcile.finished'
        ? verdict(ledger, known.isAgain)
        : undefined;
    },
  }),
  invariant<Ledger>({
    id: 'generic/every-reconcile-ends',
    says: 'every reconcile ends, whatever its effects encounter',
    controller: '*',
    kind: 'eventually',
    entries: NOTED,
    initial: byName,
    onEntry(ledger, entry) {
      const known = note(ledger, entry);
      const { event } = entry;
      return known !== undefined && event !== 'started' && event.kind === 'reconcile.finished'
        ? verdict(ledger, event.outcome === 'failed')
        : undefined;
    },
    atRest(ledger, { nowMs }) {
      const hanging = Object.entries(ledger).flatMap(([process, keys]) =>
        Object.entries(keys).flatMap(([name, { beganMs = Infinity }]) =>
          nowMs - beganMs > LONGEST_RECONCILE_MS
            ? [`${process} has been reconciling ${displayName(name)} for ${nowMs - beganMs} ms`]
            : [],
        ),
      );
      return verdict(ledger, false, hanging[0]);
    },
  }),
  invariant<{ readonly ledger: Ledger; readonly refusedMs: Record<string, number> }>({
    id: 'generic/retries-back-off',
    says: 'retry delays grow, and Retry-After is honoured',
    controller: '*',
    kind: 'never',
    entries: [...NOTED, 'request'],
    initial: () => ({ ledger: byName(), refusedMs: byName() }),
    onEntry(books, entry) {
      const { ledger, refusedMs } = books;
      const known = note(ledger, entry);
      const { event, process, atMs } = entry;
      if (event === 'started') {
        for (const name of Object.keys(refusedMs)) if (name.startsWith(`${process} `)) delete refusedMs[name];
        return undefined;
      }
      if (event.kind === 'request' && event.request !== undefined) {
        const { verb, resource, object, code } = event.request;
        // The common case: no 429 response was received, so there is no name to look up.
        if (code !== '429' && Object.keys(refusedMs).length === 0) return undefined;
        const name = `${process} ${event.reconcileId ?? ''} ${verb} ${resource} ${object}`;
        const waitedMs = atMs - (event.ms ?? 0) - (refusedMs[name] ?? -Infinity);
        // A request that was already in flight, such as one of several pod creations, need not wait.
        if (waitedMs < 0) return undefined;
        const wasAsked = refusedMs[name] !== undefined;
        delete refusedMs[name];
        if (code === '429') refusedMs[name] = atMs;
        return wasAsked
          ? verdict(
              books,
              true,
              waitedMs < ASKED_MS ? `${name} was retried ${waitedMs} ms after a 429` : undefined,
            )
          : undefined;
      }
      if (event.kind !== 'reconcile.finished' || event.outcome !== 'failed') return undefined;
      const before = known?.retryMs;
      const now = ledger[process]?.[keyNameOf(event)]?.retryMs;
      if (before === undefined || now === undefined) return undefined;
      const isShorter = now < before && now < LONGEST_RETRY_MS;
      return verdict(
        books,
        true,
        isShorter
          ? `${event.controller} ${event.key} is retried after ${now} ms, although after ${before} ms before`
          : undefined,
      );
    },
  }),
  neverForgotten('queue/no-forgotten-key', 'no enqueued key is forgotten', ({ upMs }) =>
    upMs === undefined ? undefined : { dueMs: upMs, knownMs: upMs },
  ),
  neverForgotten(
    'queue/no-forgotten-requeue',
    'a reconcile that failed or asked to run again runs again when due',
    ({ askedMs, plannedMs }) =>
      askedMs === undefined || plannedMs === undefined ? undefined : { dueMs: askedMs, knownMs: plannedMs },
  ),
  invariant<SharedBooks>({
    id: 'queue/no-early-key',
    says: 'a scheduled key is not delivered early',
    controller: '*',
    kind: 'never',
    entries: NOTED,
    initial: () => ({ ledger: byName(), left: byName() }),
    onEntry(books, entry) {
      const { ledger, left } = books;
      const { event, process, atMs } = entry;
      leave(books, entry);
      const known = note(ledger, entry);
      if (known?.dueMs === undefined || event === 'started' || event.kind !== 'reconcile.started')
        return undefined;
      const name = keyNameOf(event);
      const earlyMs = known.dueMs - atMs;
      // With shared keys, another process may have enqueued the key.
      const isUp = Object.values(ledger).some((keys) => isTime(keys[name], atMs));
      if (known.upMs !== undefined || known.isTwice || earlyMs <= EARLY_MS || isUp)
        return verdict(books, true);
      const others = left[name] ?? 0;
      left[name] = Math.max(0, others - 1);
      const how = `${process} took ${event.controller} ${event.key} ${earlyMs} ms early`;
      return verdict(books, true, others === 0 ? how : undefined);
    },
  }),
  invariant<Rounds>({
    id: 'queue/no-busy-key',
    says: 'no key is taken 2,000 times within a minute',
    controller: '*',
    kind: 'never',
    entries: ['reconcile.started'],
    initial: byName,
    onEntry(rounds, { process, atMs, event }) {
      if (event === 'started') return undefined;
      const name = keyNameOf(event);
      const minute = Math.floor(atMs / 60_000);
      const known = rounds[process];
      const round = known?.minute === minute ? known : (rounds[process] = { minute, times: byName() });
      const times = (round.times[name] = (round.times[name] ?? 0) + 1);
      const broken =
        times >= MOST_A_MINUTE && `${process} took ${displayName(name)} ${times} times within a minute`;
      return verdict(rounds, true, broken || undefined);
    },
  }),
];
