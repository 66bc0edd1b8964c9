import type { JournalEvent } from '../../runtime/index.ts';
import type { EntryKind, ProcessEntry } from './invariant.ts';

/**
 * State of one key of one controller in one process, with true times in milliseconds.
 *
 * Every field is always present, because the engine is several times faster with objects of one shape. Six
 * ledgers record thousands of entries each in a run.
 */
export interface Key {
  /** Time since which the key has been ready for a worker. */
  readonly upMs: number | undefined;
  /**
   * Time at which the key was scheduled, and the time for which it was scheduled. Both stay if a worker takes
   * the key earlier.
   */
  readonly plannedMs: number | undefined;
  readonly dueMs: number | undefined;
  /** Time requested for the key since the last reconcile began. That reconcile handles earlier requests. */
  readonly askedMs: number | undefined;
  /**
   * True if two causes of a reconcile coincided, or if a cause arrived during a reconcile. A queue may merge
   * both or deliver the key twice.
   */
  readonly isTwice: boolean;
  /** Start of the current reconcile. `isAgain` is true if the key was enqueued again after the start. */
  readonly beganMs: number | undefined;
  readonly isAgain: boolean;
  /** Id of the latest reconcile in the journal. */
  readonly pass: string | undefined;
  /** Delay of the last retry in milliseconds; undefined after a successful reconcile. */
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

/** Returns a modifiable copy of the state. */
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

/** Keys by process, then by controller and key. */
export type Ledger = Record<string, Record<string, Key>>;

/**
 * Creates a record without prototype. The engine stores such a record as a hash table, so its shape never
 * changes.
 */
export const byName = <T>(): Record<string, T> => Object.create(null) as Record<string, T>;

const SEPARATOR = '\n';
/**
 * Cached name of the latest entry's key: several invariants need it, and building it costs more than the
 * look-up.
 */
let latest: { readonly event: JournalEvent; readonly name: string } | undefined;

/** Returns the name of an event's key, which starts with its controller. */
export function keyNameOf(event: JournalEvent): string {
  if (latest?.event !== event) latest = { event, name: `${event.controller}${SEPARATOR}${event.key}` };
  return latest.name;
}

/** Returns the controller of a key by its name. */
export const controllerOf = (name: string): string => name.split(SEPARATOR)[0] ?? '';
/** Formats a key's name for messages: controller and key. */
export const displayName = (name: string): string => name.replace(SEPARATOR, ' ');

/**
 * Updates the ledger. Returns the state of the key before the entry, or undefined if the entry has no key.
 */
export function note(ledger: Ledger, { process, atMs, wallMs, event }: ProcessEntry): Key | undefined {
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
      if (waitMs > 0 || isNews(known)) keys[name] = enqueued(known, atMs, waitMs);
      // The queue may already have delivered the key to a reconcile that waits for a worker.
      else if (!known.isTwice) keys[name] = twice(known);
      return known;
    }
    case 'reconcile.started': {
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
      begun.pass = event.reconcileId ?? known.pass;
      // A new queue, as after a change of leader, counts retries from 0.
      if ((event.retries ?? 0) === 0) begun.retryMs = undefined;
      keys[name] = begun;
      return known;
    }
    case 'reconcile.finished': {
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

/** Kinds of entries that change a ledger. Most other entries are about effects and states. */
export const NOTED: readonly EntryKind[] = [
  'started',
  'enqueued',
  'reconcile.started',
  'reconcile.finished',
  'covered',
  'repeated',
  'stopped',
];

/** True if enqueueing the key now changes its state. */
const isNews = ({ upMs, beganMs, isAgain }: Key): boolean =>
  upMs === undefined || (beganMs !== undefined && !isAgain);

/** Schedules a key. If the key is already due, it stays due. */
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

function enqueued(known: Key, atMs: number, waitMs: number): Key {
  const up = copyOf(waitMs > 0 ? later(known, atMs, waitMs) : known);
  if (waitMs <= 0) up.upMs ??= atMs;
  up.isAgain = known.isAgain || known.beganMs !== undefined;
  return up;
}
