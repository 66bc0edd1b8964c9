import type { Clock } from '../../base/clock/index.ts';
import type { HeldKey } from './outbox.ts';
import type { KeyChanges } from './queue-server.ts';
import { type SeenChange, SeenChanges, nameOf } from './seen-changes.ts';

export interface ChangeClaimsOptions {
  readonly clock: Clock;
  /** Appended to the name of each change if only reconciles of this queue may cover it. */
  readonly own: string | undefined;
  /** Called with a key whose changes are already covered, by an earlier reconcile or by another process. */
  readonly onCovered: (key: string) => void;
  /** Waits for an answer of the server, with a time limit. */
  readonly ask: <T>(answer: Promise<T>) => Promise<T>;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Decides which of the changes observed by this process it has to enqueue, and tracks which ones reconciles
 * have covered.
 */
export class ChangeClaims {
  readonly #options: ChangeClaimsOptions;
  readonly #seen: SeenChanges;
  /**
   * Keys added again while a change was uncovered. The running reconcile may cover both adds, or another one
   * follows.
   */
  readonly #repeated = new Set<string>();
  /** Covered changes that the server does not know of yet. */
  readonly #unreported: SeenChange[] = [];

  constructor(options: ChangeClaimsOptions) {
    this.#options = options;
    this.#seen = new SeenChanges(options.clock);
  }

  /** Number of covered changes that are still to be reported to the server. */
  get unreported(): number {
    return this.#unreported.length;
  }

  /** Records an observed change and returns its name, or undefined if it is already known. */
  saw(key: string, change: string): string | undefined {
    const { own, onCovered } = this.#options;
    const named = own === undefined ? change : `${change} ${own}`;
    const isAwaited = this.#seen.awaits(key);
    const isNew = this.#seen.saw(key, named);
    if (isAwaited) this.#repeated.add(key);
    else if (!isNew) onCovered(key);
    return isNew ? named : undefined;
  }

  /** Resolves once the change was observed here, after `ms` milliseconds at the latest. */
  arrival(key: string, change: string, ms: number): Promise<void> {
    return this.#seen.arrival(key, change, ms);
  }

  /** Called at the start of a reconcile; returns the changes that it covers. */
  begin(key: string, enqueuedFor?: string): readonly SeenChange[] {
    return this.#seen.begin(key, enqueuedFor);
  }

  /** Called at the end of a reconcile with the changes that it covered. */
  cover(changes: readonly SeenChange[]): void {
    for (const key of this.#seen.cover(changes)) if (this.#repeated.delete(key)) this.#options.onCovered(key);
    this.#unreported.push(...changes);
  }

  /**
   * Reports up to `limit` covered changes to the server. After a failure the same changes are reported again.
   */
  async report(server: KeyChanges, limit: number): Promise<void> {
    const reported = this.#unreported.splice(0, limit);
    try {
      await this.#options.ask(server.covered(reported.map(nameOf)));
    } catch (thrown) {
      this.#unreported.unshift(...reported);
      throw thrown;
    }
  }

  /**
   * Returns the keys that this process has to enqueue, marked `sure`. Changes claimed by other processes are
   * checked later.
   */
  async claim(server: KeyChanges, held: readonly HeldKey[]): Promise<readonly HeldKey[]> {
    const changes = held.flatMap(({ key, changes }) => changes.map((change) => ({ key, change })));
    const certain = new Set(held.filter(({ sure }) => sure).map(({ key }) => key));
    const mine = new Set((await this.#offer(server, changes, certain)).map(({ key }) => key));
    return held
      .filter(({ key, sure }) => sure || mine.has(key))
      .map((each) => (each.sure ? each : { ...each, sure: true }));
  }

  /**
   * Checks up to `limit` changes that have been uncovered for a while; returns those that this process has to
   * enqueue.
   */
  askAgain(server: KeyChanges, limit: number): Promise<readonly SeenChange[]> {
    return this.#offer(server, this.#seen.due(limit), NONE);
  }

  /**
   * Returns the changes that this process has to enqueue.
   * @param certain keys that are enqueued even if their changes are covered
   */
  async #offer(
    server: KeyChanges,
    changes: readonly SeenChange[],
    certain: ReadonlySet<string>,
  ): Promise<readonly SeenChange[]> {
    const { clock, ask, onCovered } = this.#options;
    const askedMs = clock.monotonic();
    const claims = await ask(server.offer(changes.map(nameOf)));
    const mine: SeenChange[] = [];
    const reclaimed: SeenChange[] = [];
    const covered: SeenChange[] = [];
    changes.forEach((change, i) => {
      const claim = claims[i];
      if (claim === undefined) return;
      const isMine = claim === 'yours' || this.#seen.missed(change, claim.ageMs, askedMs);
      if (isMine) mine.push(change);
      if (claim === 'yours' || !claim.covered) return;
      (isMine ? reclaimed : covered).push(change);
    });
    for (const key of this.#seen.cover(covered)) {
      this.#repeated.delete(key);
      if (!certain.has(key)) onCovered(key);
    }
    if (reclaimed.length > 0) await ask(server.claim(reclaimed.map(nameOf)));
    return mine;
  }
}
