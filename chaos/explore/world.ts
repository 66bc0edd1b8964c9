import type { Invariant } from '../invariants/invariant.ts';
import type { Any, ApiRequest } from './api-request.ts';
import type { EffectRun } from './effect-table.ts';
import type { MachineState } from './machine-table.ts';
import type { ModelStore } from './model-store.ts';
import type { View } from './views.ts';

/** A request that was sent and not answered yet; `to` is its number within its effect. */
export interface OpenRequest {
  readonly to: number;
  readonly request: ApiRequest;
}

/**
 * One reconcile of a key: the state of its machine, and the progress of the effect that the state waits for.
 */
export interface Pass {
  readonly key: string;
  readonly machine: MachineState;
  readonly run: EffectRun;
  readonly asked: number;
  readonly open: readonly OpenRequest[];
}

export interface Queue {
  readonly up: boolean;
  /** Keys that a worker may take, each listed once. */
  readonly ready: readonly string[];
  /** Keys in work that were enqueued again. */
  readonly again: readonly string[];
  /** Scheduled keys, with due times in milliseconds. */
  readonly due: { readonly [key: string]: number };
  /** Set if the queue was emptied: only a resync brings back the lost keys. */
  readonly flushed?: true;
}

export interface Process {
  readonly queue: Queue;
  readonly passes: readonly Pass[];
  readonly memory: unknown;
  readonly views: readonly View[];
}

// Copies list all fields instead of spreading: millions are made, and all must share one hidden class of the
// engine.

export const withQueue = ({ passes, memory, views }: Process, queue: Queue): Process => ({
  queue,
  passes,
  memory,
  views,
});

export const withPasses = ({ queue, memory, views }: Process, passes: readonly Pass[]): Process => ({
  queue,
  passes,
  memory,
  views,
});

export const withMemory = ({ queue, passes, views }: Process, memory: unknown): Process => ({
  queue,
  passes,
  memory,
  views,
});

export const withViews = ({ queue, passes, memory }: Process, views: readonly View[]): Process => ({
  queue,
  passes,
  memory,
  views,
});

export interface Script {
  /** Index of the current instant. */
  readonly at: number;
  /** Number of times that each action was taken. */
  readonly taken: { readonly [action: string]: number };
}

/** The complete simulated world at one moment: immutable plain JSON that determines every possible future. */
export interface ModelWorld {
  readonly script: Script;
  readonly store: ModelStore;
  /** Requests whose senders crashed or timed out; they may still arrive, in any order. */
  readonly zombies: readonly ApiRequest[];
  /** States of the invariants, in the order of the scenario. */
  readonly ghosts: readonly unknown[];
  readonly processes: readonly Process[];
}

export const withScript = (
  { store, zombies, ghosts, processes }: ModelWorld,
  script: Script,
): ModelWorld => ({
  script,
  store,
  zombies,
  ghosts,
  processes,
});

export const withZombies = (
  { script, store, ghosts, processes }: ModelWorld,
  zombies: ModelWorld['zombies'],
): ModelWorld => ({ script, store, zombies, ghosts, processes });

export const withProcesses = (
  { script, store, zombies, ghosts }: ModelWorld,
  processes: readonly Process[],
): ModelWorld => ({ script, store, zombies, ghosts, processes });

/** An action of a user, a node or another controller. */
export interface Action {
  readonly name: string;
  /** Maximum number of times; default 1. */
  readonly times?: number;
  /** Name of an action that must have been taken before. */
  readonly after?: string;
  /** Set if the action happens before any time passes; default false. */
  readonly prompt?: boolean;
  /**
   * Set if the action happens without a user's decision, such as the end of a Job. Liveness may rely on it.
   * Default false.
   */
  readonly progress?: boolean;
  /** Returns the request to send now; undefined if the action is not possible. */
  readonly request: (objects: ModelStore['objects'], nowMs: number) => ApiRequest | undefined;
}

/** An initial object; the model assigns uid and version. */
export interface Planted {
  /** Resource in the format of `resourceOf`. */
  readonly resource: string;
  readonly object: Any;
}

/** A part of a workload. */
export interface Group {
  /** Initial objects. A namespace that is listed here is checked for existence and termination. */
  readonly objects: readonly Planted[];
  readonly actions: readonly Action[];
  /**
   * Effect that each process runs before the search. Needed by a controller that starts its informers on
   * first use.
   */
  readonly prelude?: { readonly effect: string; readonly input: unknown };
}

/** A memory entry whose value is the same whichever object it was learned from. */
export interface Lesson {
  /** Index of the container among those that the effects factory creates. */
  readonly container: number;
  readonly key: string;
  readonly value: unknown;
}

/** A small workload for one controller. */
export interface Scenario extends Group {
  readonly controller: string;
  /** Groups that should be independent; the explorer verifies this before it searches them separately. */
  readonly groups?: readonly Group[];
  /**
   * Entries that one group may learn from another. Each group is explored with the entry appearing at any
   * time.
   */
  readonly lessons?: readonly Lesson[];
  /** Objects that all groups see and that no action writes. */
  readonly shared?: readonly Planted[];
  /** Times that the clock shows, in order, in milliseconds since the epoch. */
  readonly instants: readonly number[];
  /**
   * Set if the clock moves only in quiescent worlds. For controllers that do not depend on how long a
   * reconcile takes.
   */
  readonly patient?: boolean;
  readonly invariants: readonly Invariant[];
  /** Concurrent reconciliations in one process; default 1. */
  readonly workers?: number;
  /** Answers reviews. */
  readonly review?: (resource: string, body: unknown, nowMs: number) => unknown;
  /** Answers of raw GETs by path. */
  readonly documents?: { readonly [path: string]: unknown };
}
