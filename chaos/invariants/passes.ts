import { leases } from '../../api/groups/coordination-v1.ts';
import type { JournalEvent } from '../../runtime/index.ts';
import {
  type Commit,
  type EntryKind,
  type Invariant,
  type ProcessEntry,
  type Verdict,
  invariant,
  isOf,
  objectOf,
  verdict,
} from './invariant.ts';
import { holderOf } from './leaderelection.ts';

/**
 * What is known of one key of one controller in one process. Times are true ones, milliseconds. Every field is always
 * there: six ledgers note some thousand entries each in a run, and objects of one shape are several times quicker.
 */
interface Key {
  /** Since when it waits to be taken at once. */
  readonly upMs: number | undefined;
  /** Since when it is known that it comes up later, and when it does; being taken before changes nothing about that. */
  readonly plannedMs: number | undefined;
  readonly dueMs: number | undefined;
  /** When it comes up by what was asked since its last pass began: that pass did for all that was asked before. */
  readonly askedMs: number | undefined;
  /** Two reasons to be taken came together, or one during a pass: a queue may have made one pass of them or may make two. */
  readonly isTwice: boolean;
  /** Its pass under way: since when, and whether the key came up again meanwhile. */
  readonly beganMs: number | undefined;
  readonly isAgain: boolean;
  /** Its latest pass, by its number in the journal. */
  readonly pass: string | undefined;
  /** How long the last retry waited; only while its passes fail. */
  readonly retryMs: number | undefined;
}

const UNKNOWN: Key = {
  upMs: undefined,
  plannedMs: undefined,
  dueMs: undefined,
  askedMs: undefined,
  isTwice: false,
  beganMs: undefined,
  isAgain: false,
  pass: undefined,
  retryMs: undefined,
};

/** A state of the key that differs from `known` in a few fields, which are then set. */
const copyOf = (known: Key): { -readonly [F in keyof Key]: Key[F] } => ({
  upMs: known.upMs,
  plannedMs: known.plannedMs,
  dueMs: known.dueMs,
  askedMs: known.askedMs,
  isTwice: known.isTwice,
  beganMs: known.beganMs,
  isAgain: known.isAgain,
  pass: known.pass,
  retryMs: known.retryMs,
});

/** By process, then by controller and key. */
type Ledger = Record<string, Record<string, Key>>;

/** A record by names that come and go. Without a prototype it is a table from the first: no name gives it another shape. */
const byName = <T>(): Record<string, T> => Object.create(null) as Record<string, T>;

const SEPARATOR = '\n';
/** Asked for by one invariant after the other, of the same entry; to make such a name costs more than to look it up. */
let latest: { readonly event: JournalEvent; readonly name: string } | undefined;

function keyNameOf(event: JournalEvent): string {
  if (latest?.event !== event) latest = { event, name: `${event.controller}${SEPARATOR}${event.key}` };
  return latest.name;
}

const controllerOf = (name: string): string => name.split(SEPARATOR)[0] ?? '';
const spoken = (name: string): string => name.replace(SEPARATOR, ' ');

/** What the ledger said of a key before the entry; it is brought up to date. None for entries about no key. */
function note(ledger: Ledger, { process, atMs, wallMs, event }: ProcessEntry): Key | undefined {
  if (event === 'started') {
    ledger[process] = byName();
    return undefined;
  }
  const keys = (ledger[process] ??= byName());
  const name = keyNameOf(event);
  switch (event.kind) {
    case 'enqueued': {
      const known = keys[name] ?? UNKNOWN;
      const waitMs = event.ms ?? 0;
      if (waitMs > 0 || isNews(known)) keys[name] = broughtUp(known, atMs, waitMs);
      // The queue may have given it out already, to a pass that waits for its turn.
      else if (!known.isTwice) keys[name] = twice(known);
      return known;
    }
    case 'pass.started': {
      const known = keys[name] ?? UNKNOWN;
      const isUp = known.upMs !== undefined;
      const isDue = (known.dueMs ?? Infinity) <= atMs;
      const begun = copyOf(known);
      begun.upMs = undefined;
      begun.askedMs = undefined;
      if (isDue) {
        begun.plannedMs = undefined;
        begun.dueMs = undefined;
      }
      begun.isTwice = known.isTwice ? isUp || isDue : isUp && isDue;
      begun.beganMs = atMs;
      begun.pass = event.passId ?? known.pass;
      // A queue that begins anew, as with a new term, counts anew.
      if ((event.retries ?? 0) === 0) begun.retryMs = undefined;
      keys[name] = begun;
      return known;
    }
    case 'pass.finished': {
      const known = keys[name] ?? UNKNOWN;
      const waitMs = event.nextMs === undefined ? undefined : event.nextMs - wallMs;
      const over = copyOf(known);
      over.beganMs = undefined;
      over.isAgain = false;
      over.retryMs = event.outcome === 'failed' ? waitMs : undefined;
      keys[name] = waitMs === undefined ? over : later(over, atMs, waitMs);
      return known;
    }
    case 'covered': {
      const covered = copyOf(keys[name] ?? UNKNOWN);
      covered.upMs = undefined;
      keys[name] = covered;
      return undefined;
    }
    case 'stopped':
      for (const each of Object.keys(keys)) if (controllerOf(each) === event.controller) delete keys[each];
      return undefined;
    default:
      return undefined;
  }
}

/** Entries that ledgers note. Most are about effects and states, of which a ledger says nothing. */
const NOTED: readonly EntryKind[] = [
  'started',
  'enqueued',
  'pass.started',
  'pass.finished',
  'covered',
  'repeated',
  'stopped',
];

/** Whether it changes anything that a key comes up at once. */
const isNews = ({ upMs, beganMs, isAgain }: Key): boolean =>
  upMs === undefined || (beganMs !== undefined && !isAgain);

/** What was due by now, in this very moment too, has come up of itself and is not brought forward to what is planned. */
function later(known: Key, atMs: number, waitMs: number): Key {
  const { dueMs = Infinity } = known;
  const isDue = dueMs <= atMs;
  const planned = copyOf(known);
  planned.plannedMs = atMs;
  planned.dueMs = isDue ? atMs + waitMs : Math.min(dueMs, atMs + waitMs);
  planned.askedMs = Math.min(known.askedMs ?? Infinity, atMs + waitMs);
  planned.isTwice ||= isDue;
  return planned;
}

function twice(known: Key): Key {
  const both = copyOf(known);
  both.isTwice = true;
  return both;
}

function broughtUp(known: Key, atMs: number, waitMs: number): Key {
  const up = copyOf(waitMs > 0 ? later(known, atMs, waitMs) : known);
  if (waitMs <= 0) up.upMs ??= atMs;
  up.isAgain = known.isAgain || known.beganMs !== undefined;
  return up;
}

interface Books {
  readonly ledger: Ledger;
  /** When any process took a key last, by controller and key: what one has brought up another may take. */
  readonly taken: Record<string, number>;
}

const isStart = ({ event }: ProcessEntry): boolean => event !== 'started' && event.kind === 'pass.started';

function take({ ledger, taken }: Books, entry: ProcessEntry): Key | undefined {
  const { event, atMs } = entry;
  if (event !== 'started' && event.kind === 'pass.started') taken[keyNameOf(event)] = atMs;
  return note(ledger, entry);
}

/** A term that is over leaves its keys to the next leader, who begins with all there are. */
function forgetTerms(books: Books, commit: Commit): Verdict<Books> {
  if (!isOf(commit, leases)) return verdict(books, false);
  if (holderOf(objectOf(commit, leases, 'after')) !== holderOf(objectOf(commit, leases, 'before')))
    for (const keys of Object.values(books.ledger))
      for (const name of Object.keys(keys))
        if (commit.name.endsWith(`-${controllerOf(name)}`)) delete keys[name];
  return verdict(books, false);
}

/** What a key may wait at most for its turn once it is due, milliseconds. */
const SLACK_MS = 5_000;
/** Timers fire never early, but clocks are read to the millisecond. */
const EARLY_MS = 2;
/** Longer than any pass may take, milliseconds. */
const LONGEST_PASS_MS = 600_000;
/** From here on delays need not grow: the longest delay of the queues. */
const LONGEST_RETRY_MS = 1_000_000;
/** Servers that say 429 ask for a second at least. */
const ASKED_MS = 900;

/**
 * Notes how often more a key may come up where processes share their keys: of a process that has died, and of a term that
 * is over, for what it brought up, asked for later, and had taken, for a queue may bring that up again; where another pass
 * has covered what had been added by then; and where a queue that may have a key was given it again.
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

/** Whether a key waits to be taken. */
const isTime = (key: Key | undefined, atMs: number): boolean =>
  key?.upMs !== undefined || (key?.dueMs ?? Infinity) <= atMs + EARLY_MS;

/** When a key is to be taken, and since when that is known. */
interface Turn {
  readonly dueMs: number;
  readonly knownMs: number;
}

/** At rest every key has had its turn, in whichever process. */
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
          return isLate && !isTaken ? [`${process} has not taken ${spoken(name)}`] : [];
        }),
      );
      return verdict(books, false, forgotten[0]);
    },
  });

const NO_TURN: Turn = { dueMs: Infinity, knownMs: Infinity };

/** By process: which keys have been taken within one minute, and how often. */
type Rounds = Record<string, { minute: number; readonly times: Record<string, number> }>;
/** More often than anything brings a key up for a whole minute: thirty times a second. */
const MOST_A_MINUTE = 2_000;

/** What holds for work queues and passes, whatever the controller does in them. */
export const passInvariants: readonly Invariant[] = [
  invariant<Ledger>({
    id: 'generic/G10',
    says: 'a pass of a key begins no effect once a later pass of that key has begun in the same process',
    controller: '*',
    kind: 'never',
    entries: [...NOTED, 'effect.started'],
    initial: byName,
    onEntry(ledger, entry) {
      const { event, process } = entry;
      if (event !== 'started' && event.kind === 'effect.started') {
        const latest = ledger[process]?.[keyNameOf(event)]?.pass;
        if (latest === undefined || latest === event.passId) return undefined;
        return verdict(
          ledger,
          true,
          `${process} goes on with an earlier pass of ${event.controller} ${event.key}`,
        );
      }
      const known = note(ledger, entry);
      return known !== undefined && event !== 'started' && event.kind === 'pass.finished'
        ? verdict(ledger, known.isAgain)
        : undefined;
    },
  }),
  invariant<Ledger>({
    id: 'generic/G13',
    says: 'every pass comes to an end, whatever its effects meet',
    controller: '*',
    kind: 'eventually',
    entries: NOTED,
    initial: byName,
    onEntry(ledger, entry) {
      const known = note(ledger, entry);
      const { event } = entry;
      return known !== undefined && event !== 'started' && event.kind === 'pass.finished'
        ? verdict(ledger, event.outcome === 'failed')
        : undefined;
    },
    atRest(ledger, { nowMs }) {
      const hanging = Object.entries(ledger).flatMap(([process, keys]) =>
        Object.entries(keys).flatMap(([name, { beganMs = Infinity }]) =>
          nowMs - beganMs > LONGEST_PASS_MS
            ? [`${process} has been at ${spoken(name)} for ${nowMs - beganMs} ms`]
            : [],
        ),
      );
      return verdict(ledger, false, hanging[0]);
    },
  }),
  invariant<{ readonly ledger: Ledger; readonly refusedMs: Record<string, number> }>({
    id: 'generic/G14',
    says: 'retries wait longer each time, and who is asked to wait does',
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
        // Nearly always nobody was asked to wait, and then there is nothing to look up.
        if (code !== '429' && Object.keys(refusedMs).length === 0) return undefined;
        const name = `${process} ${event.passId ?? ''} ${verb} ${resource} ${object}`;
        const waitedMs = atMs - (event.ms ?? 0) - (refusedMs[name] ?? -Infinity);
        // One of several alike that were under way together, as the pods of a Job are made, was asked nothing.
        if (waitedMs < 0) return undefined;
        const wasAsked = refusedMs[name] !== undefined;
        delete refusedMs[name];
        if (code === '429') refusedMs[name] = atMs;
        return wasAsked
          ? verdict(
              books,
              true,
              waitedMs < ASKED_MS ? `${name} came again ${waitedMs} ms after a 429` : undefined,
            )
          : undefined;
      }
      if (event.kind !== 'pass.finished' || event.outcome !== 'failed') return undefined;
      const before = known?.retryMs;
      const now = ledger[process]?.[keyNameOf(event)]?.retryMs;
      if (before === undefined || now === undefined) return undefined;
      const isShorter = now < before && now < LONGEST_RETRY_MS;
      return verdict(
        books,
        true,
        isShorter
          ? `${event.controller} ${event.key} is tried again after ${now} ms, after ${before} ms before`
          : undefined,
      );
    },
  }),
  neverForgotten('queue/Q1', 'no key that was brought up is forgotten', ({ upMs }) =>
    upMs === undefined ? undefined : { dueMs: upMs, knownMs: upMs },
  ),
  neverForgotten(
    'queue/Q2',
    'a pass that has failed, or asks to be run again, is run again when its time has come',
    ({ askedMs, plannedMs }) =>
      askedMs === undefined || plannedMs === undefined ? undefined : { dueMs: askedMs, knownMs: plannedMs },
  ),
  invariant<SharedBooks>({
    id: 'queue/Q3',
    says: 'a key that is to come up later comes up no earlier',
    controller: '*',
    kind: 'never',
    entries: NOTED,
    initial: () => ({ ledger: byName(), left: byName() }),
    onEntry(books, entry) {
      const { ledger, left } = books;
      const { event, process, atMs } = entry;
      leave(books, entry);
      const known = note(ledger, entry);
      if (known?.dueMs === undefined || event === 'started' || event.kind !== 'pass.started')
        return undefined;
      const name = keyNameOf(event);
      const earlyMs = known.dueMs - atMs;
      // Where processes share their keys, what one has brought up another takes.
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
    id: 'queue/Q4',
    says: 'no key is taken two thousand times within a minute',
    controller: '*',
    kind: 'never',
    entries: ['pass.started'],
    initial: byName,
    onEntry(rounds, { process, atMs, event }) {
      if (event === 'started') return undefined;
      const name = keyNameOf(event);
      const minute = Math.floor(atMs / 60_000);
      const known = rounds[process];
      const round = known?.minute === minute ? known : (rounds[process] = { minute, times: byName() });
      const times = (round.times[name] = (round.times[name] ?? 0) + 1);
      const broken =
        times >= MOST_A_MINUTE && `${process} took ${spoken(name)} ${times} times within a minute`;
      return verdict(rounds, true, broken || undefined);
    },
  }),
];
