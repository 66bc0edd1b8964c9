import type { JournalEntry } from '../../runtime/journal/index.ts';
import { Tally } from './tally.ts';

/** State of one key, derived from the journal alone. */
export interface KeyState {
  readonly key: string;
  /** Dotted state of the machine. Between reconciles, it is the final state of the last reconcile. */
  readonly state: string;
  /**
   * Time in milliseconds since the epoch at which the key entered its state. Between reconciles, it is the end of the
   * first reconcile of those that ended in the state without another one between them.
   */
  readonly sinceMs: number;
  /** Id of the running reconcile. It is absent between reconciles. */
  readonly reconcileId?: string;
  /** Outcome of the last finished reconcile. */
  readonly outcome?: 'settled' | 'requeue' | 'failed';
  readonly reason?: string;
  readonly error?: string;
  /** Time of the requeue, in milliseconds since the epoch. */
  readonly nextMs?: number;
  /** Number of consecutive failed reconciles. */
  readonly retries: number;
  /** Number of reconciles that have started. */
  readonly reconciles: number;
}

/** One transition that a key took. */
export interface Occurrence {
  readonly atMs: number;
  readonly seq: number;
  readonly key: string;
  readonly event: string;
}

/** Counts of one state of a controller's machine. */
export interface StateTally {
  /** Transitions out of the state, by target. */
  readonly leads: Map<string, EdgeTally>;
  readonly visits: Tally;
  /** Milliseconds spent in the state. */
  readonly ms: Tally;
  longestMs: number;
  /** Outcome of the last reconcile that ended in the state. */
  outcome: KeyState['outcome'];
}

/** Counts of the transitions between two states. */
export interface EdgeTally {
  readonly from: string;
  readonly to: string;
  readonly taken: Tally;
  /** The last transitions, in the order in which they were taken. */
  readonly last: Occurrence[];
}

/** Maximum number of keys in memory. If there are more, the least recently reconciled key is removed. */
const MAX_KEYS = 50_000;
const OCCURRENCES = 20;
/** State of a key before its first `state` entry. */
const NONE = '';

/** Mutable state of a key. Copying it for each of thousands of entries per second would be expensive. */
export interface KnownKey {
  readonly key: string;
  state: string;
  sinceMs: number;
  /** Final state of the last reconcile, and the end of the first of the consecutive reconciles that ended in it. */
  rest: { readonly state: string; readonly sinceMs: number } | undefined;
  reconcileId: string | undefined;
  outcome: KeyState['outcome'] | undefined;
  reason: string | undefined;
  error: string | undefined;
  nextMs: number | undefined;
  retries: number;
  reconciles: number;
  /** True from the first state of a reconcile until it finishes. */
  hasEntered: boolean;
}

/** Copies the state of a key, without its undefined fields. */
export function keyStateOf(known: KnownKey): KeyState {
  const { key, state, reconcileId, outcome, reason, error, nextMs, retries, reconciles } = known;
  return {
    key,
    state,
    sinceMs: sinceMsOf(known),
    retries,
    reconciles,
    ...(reconcileId === undefined ? {} : { reconcileId }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error }),
    ...(nextMs === undefined ? {} : { nextMs }),
  };
}

/** Returns `KeyState.sinceMs` of a key: the time at which it entered its state. */
export const sinceMsOf = ({ reconcileId, rest, sinceMs }: Readonly<KnownKey>): number =>
  reconcileId === undefined && rest !== undefined ? rest.sinceMs : sinceMs;

/** Aggregates of the entries of one controller. Each entry is added in constant time. */
export class ControllerModel {
  /** Number of keys by state. */
  readonly counts = new Map<string, number>();
  readonly states = new Map<string, StateTally>();
  readonly reconciles = new Tally();
  readonly failures = new Tally();
  readonly retries = new Tally();
  readonly requests = new Tally();
  readonly refusals = new Tally();
  /** All keys, from the least to the most recently reconciled. */
  readonly #keys = new Map<string, KnownKey>();
  /** Keys of deleted objects. Each is removed after its next settled reconcile. */
  readonly #leaving = new Set<string>();

  get keys(): ReadonlyMap<string, Readonly<KnownKey>> {
    return this.#keys;
  }

  /** Returns every transition that was taken. */
  edges(): readonly EdgeTally[] {
    return [...this.states.values()].flatMap(({ leads }) => [...leads.values()]);
  }

  apply(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'enqueued':
        return this.#enqueued(entry);
      case 'reconcile.started':
        return this.#started(entry);
      case 'state':
        return this.#entered(entry);
      case 'request':
        return this.#requested(entry);
      case 'reconcile.finished':
        return this.#finished(entry);
      default:
    }
  }

  #enqueued({ key, cause }: JournalEntry): void {
    if (cause?.object !== key) return;
    if (cause.type === 'DELETED') this.#leaving.add(key);
    else this.#leaving.delete(key);
  }

  #started({ key, reconcileId, atMs, retries = 0 }: JournalEntry): void {
    if (retries > 0) this.retries.add(atMs);
    const known = this.#keys.get(key) ?? newKey(key, atMs);
    this.#keys.delete(key);
    this.#keys.set(key, known);
    known.hasEntered = false;
    known.retries = retries;
    known.reconciles++;
    known.reconcileId = reconcileId;
    if (this.#keys.size <= MAX_KEYS) return;
    const [oldest] = this.#keys.values();
    if (oldest !== undefined) this.#drop(oldest);
  }

  #entered({ key, state = NONE, event = '', atMs, seq }: JournalEntry): void {
    const known = this.#keys.get(key);
    if (known === undefined) return this.#enteredFirst(key, state, atMs);
    // The first state of a reconcile does not follow the final state of the previous reconcile by a
    // transition.
    if (known.hasEntered) this.#take(known, state, { atMs, seq, key, event });
    known.hasEntered = true;
    this.#stateOf(state).visits.add(atMs);
    this.#move(known, state);
    known.sinceMs = atMs;
  }

  /** Handles a reconcile whose first entries are no longer in the journal. */
  #enteredFirst(key: string, state: string, atMs: number): void {
    const known = { ...newKey(key, atMs), reconciles: 1, hasEntered: true };
    this.#keys.set(key, known);
    this.#stateOf(state).visits.add(atMs);
    this.#move(known, state);
  }

  #requested({ atMs, request }: JournalEntry): void {
    this.requests.add(atMs);
    const first = request?.code[0] ?? '';
    if (first < '1' || first > '3') this.refusals.add(atMs);
  }

  #finished({ key, atMs, outcome, reason, error, nextMs, repeats = 0 }: JournalEntry): void {
    this.reconciles.add(atMs);
    if (outcome === 'failed') this.failures.add(atMs);
    // The times of folded reconciles are unknown, so only the totals count them.
    this.reconciles.total += repeats;
    if (outcome === 'failed') this.failures.total += repeats;
    const known = this.#keys.get(key);
    if (known === undefined) return;
    known.reconciles += repeats;
    known.hasEntered = false;
    if (outcome === 'settled' && this.#leaving.has(key)) return this.#drop(known);
    this.#stateOf(known.state).outcome = outcome;
    if (outcome === 'failed') known.retries++;
    else known.retries = 0;
    known.reconcileId = undefined;
    if (known.rest?.state !== known.state) known.rest = { state: known.state, sinceMs: atMs };
    known.outcome = outcome;
    known.reason = reason;
    known.error = error;
    known.nextMs = nextMs;
  }

  #move(known: KnownKey, state: string): void {
    if (known.state === state) return;
    this.#count(known.state, -1);
    this.#count(state, 1);
    known.state = state;
  }

  #drop({ key, state }: KnownKey): void {
    this.#keys.delete(key);
    this.#leaving.delete(key);
    this.#count(state, -1);
  }

  #count(state: string, by: number): void {
    if (state !== NONE) this.counts.set(state, (this.counts.get(state) ?? 0) + by);
  }

  #stateOf(state: string): StateTally {
    let tally = this.states.get(state);
    if (tally === undefined) {
      tally = { leads: new Map(), visits: new Tally(), ms: new Tally(), longestMs: 0, outcome: undefined };
      this.states.set(state, tally);
    }
    return tally;
  }

  #take({ state: from, sinceMs }: KnownKey, to: string, occurrence: Occurrence): void {
    const { atMs } = occurrence;
    const left = this.#stateOf(from);
    left.ms.add(atMs, atMs - sinceMs);
    left.longestMs = Math.max(left.longestMs, atMs - sinceMs);
    let edge = left.leads.get(to);
    if (edge === undefined) {
      edge = { from, to, taken: new Tally(), last: [] };
      left.leads.set(to, edge);
    }
    edge.taken.add(atMs);
    edge.last.push(occurrence);
    if (edge.last.length > OCCURRENCES) edge.last.shift();
  }
}

const newKey = (key: string, atMs: number): KnownKey => ({
  key,
  state: NONE,
  sinceMs: atMs,
  rest: undefined,
  reconcileId: undefined,
  outcome: undefined,
  reason: undefined,
  error: undefined,
  nextMs: undefined,
  retries: 0,
  reconciles: 0,
  hasEntered: false,
});
