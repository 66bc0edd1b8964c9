import type { Clock } from '../../base/clock/index.ts';
import type { HeldKey } from './outbox.ts';
import type { KeyChanges } from './queue-server.ts';
import { type SeenChange, SeenChanges, nameOf } from './seen-changes.ts';

/** Options of `ChangeClaims`. */
export interface ChangeClaimsOptions {
  readonly clock: Clock;
  /**
   * Suffix of the name of each change if only reconciles of this queue may handle it; otherwise undefined.
   */
  readonly own: string | undefined;
  /**
   * Called with a key whose observed changes were already handled, by an earlier reconcile or by another
   * process.
   */
  readonly onCovered: (key: string) => void;
  /** Waits for a response of the server, with a time limit. */
  readonly ask: <T>(answer: Promise<T>) => Promise<T>;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Selects the changes observed by this process that it has to enqueue. Tracks the changes that reconciles
 * have handled (`covered`). See `KeyChanges` for the protocol.
 */
export class ChangeClaims {
  readonly #options: ChangeClaimsOptions;
  readonly #seen: SeenChanges;
  /**
   * Keys added again while a change was unhandled. The running reconcile may handle both adds, or the next
   * reconcile does.
   */
  readonly #repeated = new Set<string>();
  /** Handled changes that were not reported to the server yet. */
  readonly #unreported: SeenChange[] = [];

  constructor(options: ChangeClaimsOptions) {
    this.#options = options;
    this.#seen = new SeenChanges(options.clock);
  }

  /** Number of handled changes that were not reported to the server yet. */
  get unreported(): number {
    return this.#unreported.length;
  }

  /**
   * Records an observed change. Returns the name of the change, or undefined if the change is already known.
   */
  saw(key: string, change: string): string | undefined {
    const { own, onCovered } = this.#options;
    const named = own === undefined ? change : `${change} ${own}`;
    const isAwaited = this.#seen.awaits(key);
    const isNew = this.#seen.saw(key, named);
    if (isAwaited) this.#repeated.add(key);
    else if (!isNew) onCovered(key);
    return isNew ? named : undefined;
  }

  /** Resolves once this process has observed the change, after `ms` milliseconds at the latest. */
  arrival(key: string, change: string, ms: number): Promise<void> {
    return this.#seen.arrival(key, change, ms);
  }

  /** Called at the start of a reconcile. Returns the changes that the reconcile handles. */
  begin(key: string, enqueuedFor?: string): readonly SeenChange[] {
    return this.#seen.begin(key, enqueuedFor);
  }

  /** Called at the end of a reconcile with the changes that it handled. */
  cover(changes: readonly SeenChange[]): void {
    for (const key of this.#seen.cover(changes)) if (this.#repeated.delete(key)) this.#options.onCovered(key);
    this.#unreported.push(...changes);
  }

  /**
   * Reports up to `limit` handled changes to the server. After a failure the same changes are reported by the
   * next call.
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
   * Checks up to `limit` changes that have been unhandled for a while. Returns the changes that this process
   * has to enqueue.
   */
  checkUnhandled(server: KeyChanges, limit: number): Promise<readonly SeenChange[]> {
    return this.#offer(server, this.#seen.due(limit), NONE);
  }

  /**
   * Offers changes to the server. Returns the changes that this process has to enqueue.
   * @param certain keys that are enqueued even if their changes were handled
   */
  async #offer(
    server: KeyChanges,
    changes: readonly SeenChange[],
    certain: ReadonlySet<string>,
  ): Promise<readonly SeenChange[]> {
    const { clock, ask, onCovered } = this.#options;
    const requestedMs = clock.monotonic();
    const claims = await ask(server.offer(changes.map(nameOf)));
    const mine: SeenChange[] = [];
    const reclaimed: SeenChange[] = [];
    const covered: SeenChange[] = [];
    changes.forEach((change, i) => {
      const claim = claims[i];
      if (claim === undefined) return;
      const isMine = claim === 'yours' || this.#seen.missed(change, claim.ageMs, requestedMs);
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
