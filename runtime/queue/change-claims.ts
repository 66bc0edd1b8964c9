import type { Clock } from '../../base/clock/clock.ts';
import type { HeldKey } from './outbox.ts';
import type { KeyChanges } from './queue-server.ts';
import { type SeenChange, SeenChanges, nameOf } from './seen-changes.ts';

export interface ChangeClaimsOptions {
  readonly clock: Clock;
  /** Made a part of each change, where only passes of this very queue are to cover it. */
  readonly own: string | undefined;
  /** Told of a key whose changes earlier passes, or those of other processes, have covered. */
  readonly onCovered: (key: string) => void;
  /** Waits for an answer of the server, and not for ever. */
  readonly ask: <T>(answer: Promise<T>) => Promise<T>;
}

const NONE: ReadonlySet<string> = new Set();

/** Of the changes that one process sees: which of them it is to enqueue, and what passes have covered. */
export class ChangeClaims {
  readonly #options: ChangeClaimsOptions;
  readonly #seen: SeenChanges;
  /** Keys that were added once more while a change was not covered: its pass may do for both, or another follow. */
  readonly #repeated = new Set<string>();
  /** Covered changes that the server does not know of yet. */
  readonly #untold: SeenChange[] = [];

  constructor(options: ChangeClaimsOptions) {
    this.#options = options;
    this.#seen = new SeenChanges(options.clock);
  }

  /** Number of covered changes that the server is to be told of. */
  get untold(): number {
    return this.#untold.length;
  }

  /** Takes a change in, and names it; undefined when it is known already. */
  saw(key: string, change: string): string | undefined {
    const { own, onCovered } = this.#options;
    const named = own === undefined ? change : `${change} ${own}`;
    const isAwaited = this.#seen.awaits(key);
    const isNew = this.#seen.saw(key, named);
    if (isAwaited) this.#repeated.add(key);
    else if (!isNew) onCovered(key);
    return isNew ? named : undefined;
  }

  /** Resolves when the change has been seen here, after `ms` at the latest. */
  arrival(key: string, change: string, ms: number): Promise<void> {
    return this.#seen.arrival(key, change, ms);
  }

  /** A pass begins; gives the changes that it covers. */
  begin(key: string, enqueuedFor?: string): readonly SeenChange[] {
    return this.#seen.begin(key, enqueuedFor);
  }

  /** A pass that covers them is over. */
  cover(changes: readonly SeenChange[]): void {
    for (const key of this.#seen.cover(changes)) if (this.#repeated.delete(key)) this.#options.onCovered(key);
    this.#untold.push(...changes);
  }

  /** Tells the server of what is covered, at most `limit` changes; what it may not have heard of it is told again. */
  async tell(server: KeyChanges, limit: number): Promise<void> {
    const told = this.#untold.splice(0, limit);
    try {
      await this.#options.ask(server.covered(told.map(nameOf)));
    } catch (thrown) {
      this.#untold.unshift(...told);
      throw thrown;
    }
  }

  /** Those of the keys that are to be enqueued here, sure from now on; what others have claimed is asked about later. */
  async claim(server: KeyChanges, held: readonly HeldKey[]): Promise<readonly HeldKey[]> {
    const changes = held.flatMap(({ key, changes }) => changes.map((change) => ({ key, change })));
    const certain = new Set(held.filter(({ sure }) => sure).map(({ key }) => key));
    const mine = new Set((await this.#offer(server, changes, certain)).map(({ key }) => key));
    return held
      .filter(({ key, sure }) => sure || mine.has(key))
      .map((each) => (each.sure ? each : { ...each, sure: true }));
  }

  /** Asks about changes that have not been covered for a while; gives those that are to be enqueued here. */
  askAgain(server: KeyChanges, limit: number): Promise<readonly SeenChange[]> {
    return this.#offer(server, this.#seen.due(limit), NONE);
  }

  /** Those of the changes that this process is to enqueue. `certain`: keys that come up whatever has been covered. */
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
