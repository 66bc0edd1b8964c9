import {
  type JournalEntry,
  type JournalFile,
  finishedIn,
  selectEntries,
} from '../../runtime/journal/index.ts';
import type { ControllerFacts, View } from './view.ts';
import { JournalModel } from './journal-model.ts';

/** A replayed journal. Its view has the state after the first `position` entries. */
export class Replay {
  readonly entries: readonly JournalEntry[];
  readonly charts: JournalFile['charts'];
  readonly #controllers: readonly ControllerFacts[];
  #model = new JournalModel();
  #position = 0;
  /** Moment that was sought, if it is later than the last entry before it. */
  #momentMs: number | undefined;

  constructor({ entries, charts }: JournalFile, controllers: readonly ControllerFacts[] = []) {
    this.entries = entries;
    this.charts = charts;
    this.#controllers = controllers;
    this.seek(entries.length);
  }

  get position(): number {
    return this.#position;
  }

  /** The last entry before the position; undefined at the start. */
  get current(): JournalEntry | undefined {
    return this.entries[this.#position - 1];
  }

  /** Moves to a position. Moving back aggregates the journal again from its start. */
  seek(position: number): void {
    this.#momentMs = undefined;
    const wanted = Math.min(this.entries.length, Math.max(0, position));
    if (wanted < this.#position) {
      this.#model = new JournalModel();
      this.#position = 0;
    }
    for (const entry of this.entries.slice(this.#position, wanted)) this.#model.apply(entry);
    this.#position = wanted;
  }

  /** Time of the shown state, in milliseconds since the epoch. */
  get momentMs(): number {
    return this.#momentMs ?? this.#model.atMs;
  }

  /** Calls `visit` for each finished reconcile of the whole journal. */
  readonly finished: View['finished'] = (visit) => finishedIn(this.entries, visit);

  /** Moves behind the last entry at or before a time. */
  seekTime(ms: number): void {
    let [low, high] = [0, this.entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.entries[middle]?.atMs ?? 0) <= ms) low = middle + 1;
      else high = middle;
    }
    this.seek(low);
    this.#momentMs = ms;
  }

  /** Moves to the next or previous entry that matches `wanted`. Stays if there is none. */
  step(by: 1 | -1, wanted: (entry: JournalEntry) => boolean): void {
    for (let at = this.#position + by; at >= 1 && at <= this.entries.length; at += by) {
      const entry = this.entries[at - 1];
      if (entry !== undefined && wanted(entry)) return this.seek(at);
    }
  }

  /** Returns the state at the position. */
  view(): View {
    return {
      model: this.#model,
      nowMs: this.momentMs,
      entries: (query) => selectEntries(this.entries.slice(0, this.#position), query),
      finished: (visit) => finishedIn(this.entries.slice(0, this.#position), visit),
      facts: { controllers: this.#controllers, informers: [], shared: false, replicas: [] },
    };
  }
}
