import type { JournalEntry } from '../../runtime/journal/index.ts';
import { Tally } from './tally.ts';

/** What is known of one key from the journal alone. */
export interface KeyState {
  readonly key: string;
  /** Of the machine, as the journal has it; after a pass the final one. */
  readonly state: string;
  readonly sinceMs: number;
  /** Undefined between passes. */
  readonly passId?: string;
  /** How the last pass ended, with why. */
  readonly outcome?: 'settled' | 'requeue' | 'failed';
  readonly reason?: string;
  readonly error?: string;
  /** When it comes up again by itself. */
  readonly nextMs?: number;
  /** Failures in a row. */
  readonly retries: number;
  readonly passes: number;
}

/** A transition that was taken. */
export interface Occurrence {
  readonly atMs: number;
  readonly seq: number;
  readonly key: string;
  readonly event: string;
}

export interface StateTally {
  /** What was taken from here, by where it leads. */
  readonly leads: Map<string, EdgeTally>;
  readonly visits: Tally;
  readonly ms: Tally;
  longestMs: number;
  /** How passes ended that ended here. */
  outcome: KeyState['outcome'];
}

export interface EdgeTally {
  readonly from: string;
  readonly to: string;
  readonly taken: Tally;
  /** Newest last. */
  readonly last: Occurrence[];
}

/** Keys that are known at most; the one that was heard of least lately is forgotten. */
const MAX_KEYS = 50_000;
const OCCURRENCES = 20;
/** Before its first state. */
const NONE = '';

/** A key as it is added up. Written to in place: entries come by the thousand a second, and each would make another copy. */
export interface KnownKey {
  readonly key: string;
  state: string;
  sinceMs: number;
  passId: string | undefined;
  outcome: KeyState['outcome'] | undefined;
  reason: string | undefined;
  error: string | undefined;
  nextMs: number | undefined;
  retries: number;
  passes: number;
  /** In a pass that has entered a state. */
  under: boolean;
}

/** What is shown of it: as it is now, without what there is none of. */
export function keyStateOf(known: KnownKey): KeyState {
  const { key, state, sinceMs, passId, outcome, reason, error, nextMs, retries, passes } = known;
  return {
    key,
    state,
    sinceMs,
    retries,
    passes,
    ...(passId === undefined ? {} : { passId }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error }),
    ...(nextMs === undefined ? {} : { nextMs }),
  };
}

/** Adds the entries of one controller up, each in constant time. */
export class ControllerModel {
  /** Keys by state. */
  readonly counts = new Map<string, number>();
  readonly states = new Map<string, StateTally>();
  readonly passes = new Tally();
  readonly failures = new Tally();
  readonly retries = new Tally();
  readonly requests = new Tally();
  readonly refusals = new Tally();
  /** The one that was worked on least lately first. */
  readonly #keys = new Map<string, KnownKey>();
  /** Keys whose object was deleted and whose next settled pass is their last. */
  readonly #leaving = new Set<string>();

  get keys(): ReadonlyMap<string, Readonly<KnownKey>> {
    return this.#keys;
  }

  /** Every transition that was taken. */
  edges(): readonly EdgeTally[] {
    return [...this.states.values()].flatMap(({ leads }) => [...leads.values()]);
  }

  apply(entry: JournalEntry): void {
    switch (entry.kind) {
      case 'enqueued':
        return this.#enqueued(entry);
      case 'pass.started':
        return this.#started(entry);
      case 'state':
        return this.#entered(entry);
      case 'request':
        return this.#requested(entry);
      case 'pass.finished':
        return this.#finished(entry);
      default:
    }
  }

  #enqueued({ key, cause }: JournalEntry): void {
    if (cause?.object !== key) return;
    if (cause.type === 'DELETED') this.#leaving.add(key);
    else this.#leaving.delete(key);
  }

  #started({ key, passId, atMs, retries = 0 }: JournalEntry): void {
    if (retries > 0) this.retries.add(atMs);
    const known = this.#keys.get(key) ?? newKey(key, atMs);
    this.#keys.delete(key);
    this.#keys.set(key, known);
    known.under = false;
    known.retries = retries;
    known.passes++;
    known.passId = passId;
    if (this.#keys.size <= MAX_KEYS) return;
    const [oldest] = this.#keys.values();
    if (oldest !== undefined) this.#drop(oldest);
  }

  #entered({ key, state = NONE, event = '', atMs, seq }: JournalEntry): void {
    const known = this.#keys.get(key);
    if (known === undefined) return this.#enteredFirst(key, state, atMs);
    // A pass begins in its initial state without a transition: the final state of the last one is not left.
    if (known.under) this.#take(known, state, { atMs, seq, key, event });
    known.under = true;
    this.#stateOf(state).visits.add(atMs);
    this.#move(known, state);
    known.sinceMs = atMs;
  }

  /** Of a pass whose beginning is no longer there. */
  #enteredFirst(key: string, state: string, atMs: number): void {
    const known = { ...newKey(key, atMs), passes: 1, under: true };
    this.#keys.set(key, known);
    this.#stateOf(state).visits.add(atMs);
    this.#move(known, state);
  }

  #requested({ atMs, request }: JournalEntry): void {
    this.requests.add(atMs);
    const first = request?.code[0] ?? '';
    if (first < '1' || first > '3') this.refusals.add(atMs);
  }

  #finished({ key, atMs, outcome, reason, error, nextMs }: JournalEntry): void {
    this.passes.add(atMs);
    if (outcome === 'failed') this.failures.add(atMs);
    const known = this.#keys.get(key);
    if (known === undefined) return;
    known.under = false;
    if (outcome === 'settled' && this.#leaving.has(key)) return this.#drop(known);
    this.#stateOf(known.state).outcome = outcome;
    if (outcome === 'failed') known.retries++;
    else known.retries = 0;
    known.passId = undefined;
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
  passId: undefined,
  outcome: undefined,
  reason: undefined,
  error: undefined,
  nextMs: undefined,
  retries: 0,
  passes: 0,
  under: false,
});
