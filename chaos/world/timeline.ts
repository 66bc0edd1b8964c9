import type { Clock, Timer } from '../../base/clock/clock.ts';
import { DueHeap } from '../../base/clock/due-heap.ts';
import { Turns } from './turns.ts';

/** Whoever a step belongs to. What belongs to the dead never happens; what belongs to the paused happens after the pause. */
export interface Owner {
  readonly name: string;
  readonly alive: boolean;
  /** On the timeline's own time; in the past when it is not paused. */
  readonly pausedUntilMs: number;
}

/** Something that will happen. */
export interface Planned extends Timer {
  readonly order: number;
  readonly label: string;
  readonly owner: Owner | undefined;
  run: (() => void) | undefined;
}

/**
 * The one order of everything that happens in a simulated world: steps by due time, then in the order they were planned
 * in. Between two steps all promises come to rest, so a step is all that follows from it without waiting.
 */
export interface Timeline {
  /** Virtual milliseconds since the start; true time, which no node's clock need show. */
  readonly nowMs: number;
  /** Steps done. */
  readonly steps: number;
  /** Of all that happened so far; the same twice means the same run. */
  readonly hash: string;
  plan(delayMs: number, label: string, run: () => void, owner?: Owner): Planned;
  cancel(planned: Planned): void;
  /** Folds something else that happened into the hash. */
  fold(value: number): void;
  /** Does the next step due by `untilMs`; false when there is none, and then it is `untilMs`. */
  step(untilMs: number): Promise<boolean>;
}

/** Hears of each step just before it is done. */
export type OnStep = (label: string, at: { readonly step: number; readonly atMs: number }) => void;

export const createTimeline = (onStep?: OnStep): Timeline => new StepByStep(onStep);

// Classes, here and where else a world has accessors: those of a literal make each object one of a shape of its own.
class StepByStep implements Timeline {
  readonly #onStep: OnStep | undefined;
  readonly #heap = new DueHeap<Planned>();
  readonly #hash = createRollingHash();
  readonly #turns = new Turns();
  #nowMs = 0;
  #order = 0;
  #steps = 0;

  constructor(onStep: OnStep | undefined) {
    this.#onStep = onStep;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get steps(): number {
    return this.#steps;
  }

  get hash(): string {
    return this.#hash.text();
  }

  plan(delayMs: number, label: string, run: () => void, owner?: Owner): Planned {
    const dueMs = this.#nowMs + Math.max(0, delayMs);
    const planned: Planned = { dueMs, order: this.#order++, label, owner, run };
    this.#heap.push(planned);
    return planned;
  }

  cancel(planned: Planned): void {
    planned.run = undefined;
  }

  fold(value: number): void {
    this.#hash.fold(value);
  }

  async step(untilMs: number): Promise<boolean> {
    const planned = this.#next(untilMs);
    if (planned === undefined) {
      this.#nowMs = Math.max(this.#nowMs, untilMs);
      return false;
    }
    this.#heap.shift();
    this.#nowMs = Math.max(this.#nowMs, planned.dueMs);
    this.#steps++;
    this.#hash.foldText(planned.label);
    this.#hash.fold(Math.round(this.#nowMs * 1_000));
    this.#onStep?.(planned.label, { step: this.#steps, atMs: this.#nowMs });
    const { run } = planned;
    planned.run = undefined;
    run?.();
    await this.#turns.next();
    return true;
  }

  /** The next that is to happen: not cancelled, its owner alive and awake. */
  #next(untilMs: number): Planned | undefined {
    const heap = this.#heap;
    for (let first = heap.first; first !== undefined && first.dueMs <= untilMs; first = heap.first) {
      const { owner, run } = first;
      if (run !== undefined && owner?.alive !== false) {
        if (owner === undefined || owner.pausedUntilMs <= Math.max(this.#nowMs, first.dueMs)) return first;
        // The one in the heap is what its timer was given for: it is moved, not copied.
        heap.shift();
        heap.push(Object.assign(first, { dueMs: owner.pausedUntilMs }));
      } else heap.shift();
    }
    return undefined;
  }
}

/** Two streams of FNV-1a, 32 bits each. */
function createRollingHash() {
  let a = 0x811c9dc5;
  let b = 0x01000193;
  const fold = (value: number): void => {
    a = Math.imul(a ^ (value | 0), 0x01000193);
    b = Math.imul(b ^ ((value / 2 ** 32) | 0) ^ (a >>> 7), 0x85ebca6b);
  };
  return {
    fold,
    foldText(text: string): void {
      for (let i = 0; i < text.length; i++) fold(text.charCodeAt(i));
    },
    text: () => [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join(''),
  };
}

/** A machine with a clock of its own. Processes come and go on it. */
export interface Node {
  readonly name: string;
  /** How far its wall clock is ahead of true time, milliseconds. */
  skewMs: number;
  /** On the timeline's time. */
  pausedUntilMs: number;
}

/** One life of a program on a node. */
export interface Process extends Owner {
  readonly node: Node;
  readonly clock: Clock;
  /** Drops its timers, its promises and what was on the way to it. What it has sent stays in the network. */
  crash(): void;
}

export const createNode = (name: string): Node => ({ name, skewMs: 0, pausedUntilMs: 0 });

/** `startMs`: wall time where the timeline is at 0. */
export const createProcess = (node: Node, timeline: Timeline, startMs: number): Process =>
  new OneLife(node, timeline, startMs);

class OneLife implements Process {
  readonly name: string;
  readonly node: Node;
  readonly clock: Clock;
  alive = true;

  constructor(node: Node, timeline: Timeline, startMs: number) {
    this.name = node.name;
    this.node = node;
    const label = `timer ${node.name}`;
    this.clock = {
      now: () => Math.floor(startMs + node.skewMs + timeline.nowMs),
      monotonic: () => timeline.nowMs,
      setTimeout: (run, delayMs) => timeline.plan(delayMs, label, run, this),
      clearTimeout: (timer) => {
        // Every timer of this clock was planned here.
        if (timer !== undefined) timeline.cancel(timer as Planned);
      },
    };
  }

  get pausedUntilMs(): number {
    return this.node.pausedUntilMs;
  }

  crash(): void {
    this.alive = false;
  }
}
