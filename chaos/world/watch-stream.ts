import { ClientError } from '../../runtime/index.ts';
import { goneEvent } from './answers.ts';
import type { EventFault } from './fault-kinds.ts';
import type { FaultPlace, Faults } from './faults.ts';
import type { Planned, Process, Timeline } from './timeline.ts';

/** An open watch between the API server and a process. */
export interface WatchStream {
  readonly process: Process;
  /** The stream as the process reads it. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Delays deliveries until the time `untilMs` on the timeline. */
  hold(untilMs: number): void;
  /** Breaks the watch on both sides. */
  break(error: Error): void;
  /**
   * Ends the delay of deliveries. Breaks a silent watch, because connections are reset when a network
   * recovers.
   */
  heal(): void;
}

export interface WatchStreamOptions {
  readonly process: Process;
  readonly what: string;
  readonly faulty: boolean;
  readonly source: AsyncIterable<Uint8Array>;
  /** Time in milliseconds by which every event is late. */
  readonly lagMs: number;
  readonly timeline: Timeline;
  readonly faults: Faults;
  /** Closes the server's side of the watch. */
  readonly leave: (reason: Error) => void;
  readonly onEnd: () => void;
}

/**
 * Maximum time in milliseconds for which a watch stays silent. In production watches restart within 10
 * minutes, which bounds their silence; watches of a world last longer.
 */
const LONGEST_SILENCE_MS = 9 * 60_000;

/** Place of faults at a deletion. Deletions are few, and a process that misses one gets no later event. */
const DELETION: FaultPlace = { weight: 10, budget: 'events' };

/** A delivered item: bytes, an error, or the end. */
type Item = Uint8Array | Error | 'end';

export const createWatchStream = (options: WatchStreamOptions): WatchStream => new LossyStream(options);

class LossyStream implements WatchStream {
  readonly process: Process;
  readonly #options: WatchStreamOptions;
  readonly #label: string;
  /** Items in flight, in order. */
  readonly #travelling: { item: Item; dueMs: number }[] = [];
  /** Delivered items that the process has not read yet. */
  readonly #arrived: Item[] = [];
  #planned: Planned | undefined;
  #heldUntilMs = 0;
  #lagMs: number;
  #silent = false;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(options: WatchStreamOptions) {
    this.process = options.process;
    this.#options = options;
    this.#lagMs = options.lagMs;
    this.#label = `event ${options.what}`;
    void this.#pump();
  }

  get body(): AsyncIterable<Uint8Array> {
    return this.#read();
  }

  hold(untilMs: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, untilMs);
    this.#plan();
  }

  break(error: Error): void {
    this.#travelling.length = 0;
    this.#silent = false;
    this.#heldUntilMs = 0;
    this.#send(error, 0);
    this.#finish(error);
  }

  heal(): void {
    this.#endSilence();
    this.#heldUntilMs = 0;
    this.#lagMs = 0;
    for (const travelling of this.#travelling) travelling.dueMs = 0;
    this.#plan();
  }

  #endSilence(): void {
    if (this.#silent) this.break(broken());
  }

  async #pump(): Promise<void> {
    try {
      for await (const chunk of this.#options.source) {
        if (this.#ended) return;
        this.#take(chunk);
      }
      if (!this.#ended) this.#send('end', 0);
    } catch {
      if (!this.#ended) this.#send(broken(), 0);
    }
    this.#finish(broken());
  }

  /** Accepts an event from the server, with its fault if one is injected. */
  #take(chunk: Uint8Array): void {
    const { faults, faulty, what, timeline } = this.#options;
    const type = typeOf(chunk);
    const where = `${what} ${type}`;
    const place = type === 'DELETED' ? DELETION : undefined;
    const fault = faulty ? faults.strike<EventFault>('event', where, undefined, place) : undefined;
    const delayMs = this.#lagMs + faults.delay(`${where} event`);
    switch (fault) {
      case 'late-events':
        this.#heldUntilMs = timeline.nowMs + faults.lasting(where, 100, 300_000);
        return this.#send(chunk, delayMs);
      case 'repeated-event':
        this.#send(chunk, delayMs);
        return this.#send(chunk, faults.lasting(where, 1, 10_000));
      case 'cut-watch':
        return this.break(broken());
      case 'ended-watch':
        this.#send('end', delayMs);
        return this.#finish(broken());
      case 'silent-watch':
        this.#silent = true;
        timeline.plan(LONGEST_SILENCE_MS, `silence of ${what} ends`, () => this.#endSilence(), this.process);
        return undefined;
      case 'expired-watch':
        this.#heldUntilMs = timeline.nowMs + faults.lasting(where, 100, 300_000);
        this.#send(goneEvent, 0);
        return this.#finish(broken());
      case undefined:
        return this.#send(chunk, delayMs);
    }
  }

  #send(item: Item, delayMs: number): void {
    if (this.#silent) return;
    const { nowMs } = this.#options.timeline;
    const last = this.#travelling.at(-1)?.dueMs ?? 0;
    this.#travelling.push({ item, dueMs: Math.max(nowMs + delayMs, last) });
    this.#plan();
  }

  /** Plans the delivery of the first item in flight and cancels an earlier plan. */
  #plan(): void {
    const { timeline } = this.#options;
    const first = this.#travelling[0];
    if (this.#planned !== undefined) timeline.cancel(this.#planned);
    this.#planned = undefined;
    if (first === undefined) return;
    const dueMs = Math.max(first.dueMs, this.#heldUntilMs);
    const run = (): void => this.#deliver();
    this.#planned = timeline.plan(dueMs - timeline.nowMs, this.#label, run, this.process);
  }

  #deliver(): void {
    const first = this.#travelling.shift();
    if (first !== undefined) this.#arrived.push(first.item);
    this.#wake?.();
    this.#wake = undefined;
    this.#planned = undefined;
    this.#plan();
  }

  #finish(reason: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.leave(reason);
    this.#options.onEnd();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        while (this.#arrived.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
        const item = this.#arrived.shift();
        if (item === 'end' || item === undefined) return;
        if (item instanceof Error) throw item;
        yield item;
      }
    } finally {
      this.#finish(broken());
    }
  }
}

const broken = (): ClientError => new ClientError('ERR_CONNECTION', 'the connection of the watch broke');

const TYPE = /^\{"type":"([A-Z]+)"/;

/** Returns the type of a watch event, read from its first bytes. */
const typeOf = (chunk: Uint8Array): string =>
  TYPE.exec(Buffer.from(chunk.subarray(0, 32)).toString())?.[1] ?? 'event';
