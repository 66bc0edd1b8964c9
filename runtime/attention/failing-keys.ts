import type { JournalEntry } from '../journal/entry.ts';
import { UsualDuration } from './usual-duration.ts';

/** Consecutive failures of one key. */
export interface Failing {
  readonly controller: string;
  readonly key: string;
  readonly sinceMs: number;
  readonly failures: number;
  readonly error: string;
}

/** Reconcile that has not finished. */
export interface Running {
  readonly controller: string;
  readonly key: string;
  readonly sinceMs: number;
  /** Usual maximum duration of the controller's reconciles, in milliseconds. */
  readonly usualMs: number;
}

/** Maximum number of keys of each sort in memory. Beyond it, further keys are not recorded. */
const MAX_KEYS = 10_000;

/** Keys whose reconciles fail or do not end, from the entries of the journal. Each entry takes constant time. */
export class FailingKeys {
  readonly #failing = new Map<string, Failing>();
  readonly #running = new Map<string, Omit<Running, 'usualMs'>>();
  readonly #usual = new Map<string, UsualDuration>();

  apply({ kind, controller, key, atMs, outcome, error = '', ms = 0 }: JournalEntry): void {
    const id = `${controller} ${key}`;
    if (kind === 'reconcile.started') {
      if (this.#running.size < MAX_KEYS) this.#running.set(id, { controller, key, sinceMs: atMs });
    } else if (kind === 'stopped') this.#forget(controller);
    else if (kind === 'reconcile.finished') {
      this.#running.delete(id);
      this.#usualOf(controller).add(ms);
      if (outcome !== 'failed') this.#failing.delete(id);
      else this.#failed(id, { controller, key, error, sinceMs: atMs, failures: 1 });
    }
  }

  failing(): readonly Failing[] {
    return [...this.#failing.values()];
  }

  running(): readonly Running[] {
    return [...this.#running.values()].map((each) => ({
      ...each,
      usualMs: this.#usualOf(each.controller).longestMs,
    }));
  }

  #failed(id: string, failure: Failing): void {
    const before = this.#failing.get(id);
    if (before === undefined && this.#failing.size >= MAX_KEYS) return;
    this.#failing.set(
      id,
      before === undefined ? failure : { ...failure, sinceMs: before.sinceMs, failures: before.failures + 1 },
    );
  }

  /** Forgets the keys of a controller that has stopped, because another process takes them over. */
  #forget(stopped: string): void {
    for (const keys of [this.#failing, this.#running])
      for (const [id, { controller }] of keys) if (controller === stopped) keys.delete(id);
  }

  #usualOf(controller: string): UsualDuration {
    const usual = this.#usual.get(controller) ?? new UsualDuration();
    this.#usual.set(controller, usual);
    return usual;
  }
}
