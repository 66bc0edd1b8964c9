import { type Clock, DueHeap, type Timer } from '../../base/clock/index.ts';
import { Turns } from './turns.ts';

/**
 * Owner of planned steps. Steps of a crashed owner never run. Steps that fall into a pause of their owner run
 * after the pause.
 */
export interface Owner {
  readonly name: string;
  readonly alive: boolean;
  /** Time on the timeline at which the pause ends; in the past if the owner is not paused. */
  readonly pausedUntilMs: number;
}

/** A step that is planned and has not run yet. */
export interface Planned extends Timer {
  readonly order: number;
  readonly label: string;
  readonly owner: Owner | undefined;
  run: (() => void) | undefined;
}

/**
 * The total order of all steps of a simulated world: by due time, then by order of planning.
 *
 * All promises settle between two steps. A step therefore includes all its consequences that wait for
 * nothing.
 */
export interface Timeline {
  /** Virtual milliseconds since the start. This is the true time; the clocks of nodes may differ from it. */
  readonly nowMs: number;
  /** Number of completed steps. */
  readonly steps: number;
  /** Hash of all steps so far; equal hashes mean identical runs. */
  readonly hash: string;
  plan(delayMs: number, label: string, run: () => void, owner?: Owner): Planned;
  cancel(planned: Planned): void;
  /** Adds a value to the hash. */
  fold(value: number): void;
  /**
   * Runs the next step that is due by `untilMs`. Returns false and advances the time to `untilMs` if there is
   * none.
   */
  step(untilMs: number): Promise<boolean>;
}

/** Called before each step. */
export type OnStep = (label: string, at: { readonly step: number; readonly atMs: number }) => void;

export const createTimeline = (onStep?: OnStep): Timeline => new StepByStep(onStep);

// A class, because the engine gives each object literal with accessors a separate hidden class.
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

  /** Returns the next step that is not cancelled and whose owner is alive and not paused. */
  #next(untilMs: number): Planned | undefined {
    const heap = this.#heap;
    for (let first = heap.first; first !== undefined && first.dueMs <= untilMs; first = heap.first) {
      const { owner, run } = first;
      if (run !== undefined && owner?.alive !== false) {
        if (owner === undefined || owner.pausedUntilMs <= Math.max(this.#nowMs, first.dueMs)) return first;
        // The entry is moved and not copied, because the timer's handle refers to it.
        heap.shift();
        heap.push(Object.assign(first, { dueMs: owner.pausedUntilMs }));
      } else heap.shift();
    }
    return undefined;
  }
}

/** Creates a hash that consists of two 32-bit FNV-1a hashes. */
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

/** A machine with a clock on which processes start and crash. */
export interface Node {
  readonly name: string;
  /** Offset of the node's wall clock from the true time, in milliseconds. */
  skewMs: number;
  /** Time on the timeline at which the pause ends. */
  pausedUntilMs: number;
}

/** A running program on a node, from its start to its crash. */
export interface Process extends Owner {
  readonly node: Node;
  readonly clock: Clock;
  /**
   * Drops the timers, promises and incoming messages of the process. Messages that it sent stay in the
   * network.
   */
  crash(): void;
}

export const createNode = (name: string): Node => ({ name, skewMs: 0, pausedUntilMs: 0 });

/** Starts a process; `startMs` is the wall time at timeline time 0. */
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
        // Timers of this clock are always created by this timeline.
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
