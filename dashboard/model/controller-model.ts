import type { JournalEntry } from '../../runtime/journal/journal.ts';
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

/** Adds the entries of one controller up, each in constant time. */
export class ControllerModel {
  readonly keys = new Map<string, KeyState>();
  /** Keys by state. */
  readonly counts = new Map<string, number>();
  readonly states = new Map<string, StateTally>();
  readonly edges = new Map<string, EdgeTally>();
  readonly passes = new Tally();
  readonly failures = new Tally();
  readonly retries = new Tally();
  readonly requests = new Tally();
  readonly refusals = new Tally();
  /** Keys whose object was deleted and whose next settled pass is their last. */
  readonly #leaving = new Set<string>();
  /** Keys in a pass that has entered a state. */
  readonly #under = new Set<string>();

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
    const before = this.keys.get(key);
    this.#under.delete(key);
    if (retries > 0) this.retries.add(atMs);
    this.#put({
      ...(before ?? { key, state: NONE, sinceMs: atMs, passes: 0 }),
      retries,
      passes: (before?.passes ?? 0) + 1,
      ...(passId === undefined ? {} : { passId }),
    });
  }

  #entered({ key, state = NONE, event = '', atMs, seq }: JournalEntry): void {
    const before = this.keys.get(key);
    // A pass begins in its initial state without a transition: the final state of the last one is not left.
    if (before !== undefined && this.#under.has(key)) {
      this.#left(before, atMs);
      this.#take(before.state, state, { atMs, seq, key, event });
    }
    this.#under.add(key);
    this.#stateOf(state).visits.add(atMs);
    this.#put({ ...(before ?? { key, retries: 0, passes: 1 }), state, sinceMs: atMs });
  }

  #requested({ atMs, request }: JournalEntry): void {
    this.requests.add(atMs);
    if (!/^[123]/.test(request?.code ?? '')) this.refusals.add(atMs);
  }

  #finished({ key, atMs, outcome, reason, error, nextMs }: JournalEntry): void {
    this.passes.add(atMs);
    if (outcome === 'failed') this.failures.add(atMs);
    this.#under.delete(key);
    const before = this.keys.get(key);
    if (before === undefined) return;
    if (outcome === 'settled' && this.#leaving.delete(key)) return this.#drop(before);
    const { state, sinceMs, retries, passes } = before;
    const tally = this.#stateOf(state);
    tally.outcome = outcome;
    this.#put({
      key,
      state,
      sinceMs,
      retries: outcome === 'failed' ? retries + 1 : 0,
      passes,
      ...(outcome === undefined ? {} : { outcome }),
      ...(reason === undefined ? {} : { reason }),
      ...(error === undefined ? {} : { error }),
      ...(nextMs === undefined ? {} : { nextMs }),
    });
  }

  #put(next: KeyState): void {
    const before = this.keys.get(next.key);
    if (before?.state !== next.state) {
      if (before !== undefined) this.#count(before.state, -1);
      this.#count(next.state, 1);
    }
    this.keys.delete(next.key);
    this.keys.set(next.key, next);
    if (this.keys.size <= MAX_KEYS) return;
    const [oldest] = this.keys.values();
    if (oldest !== undefined) this.#drop(oldest);
  }

  #drop({ key, state }: KeyState): void {
    this.keys.delete(key);
    this.#leaving.delete(key);
    this.#under.delete(key);
    this.#count(state, -1);
  }

  #count(state: string, by: number): void {
    if (state !== NONE) this.counts.set(state, (this.counts.get(state) ?? 0) + by);
  }

  #left({ state, sinceMs }: KeyState, atMs: number): void {
    const tally = this.#stateOf(state);
    tally.ms.add(atMs, atMs - sinceMs);
    tally.longestMs = Math.max(tally.longestMs, atMs - sinceMs);
  }

  #stateOf(state: string): StateTally {
    let tally = this.states.get(state);
    if (tally === undefined) {
      tally = { visits: new Tally(), ms: new Tally(), longestMs: 0, outcome: undefined };
      this.states.set(state, tally);
    }
    return tally;
  }

  #take(from: string, to: string, occurrence: Occurrence): void {
    const id = `${from}→${to}`;
    let edge = this.edges.get(id);
    if (edge === undefined) {
      edge = { from, to, taken: new Tally(), last: [] };
      this.edges.set(id, edge);
    }
    edge.taken.add(occurrence.atMs);
    edge.last.push(occurrence);
    if (edge.last.length > OCCURRENCES) edge.last.shift();
  }
}
