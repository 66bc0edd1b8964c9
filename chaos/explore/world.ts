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

/** One pass over a key: the machine's state, and how far the effect is that it waits for. */
export interface Pass {
  readonly key: string;
  readonly machine: MachineState;
  readonly run: EffectRun;
  readonly asked: number;
  readonly open: readonly OpenRequest[];
}

export interface Queue {
  readonly up: boolean;
  /** Keys that may be taken, each once. */
  readonly ready: readonly string[];
  /** Keys in work that came up again. */
  readonly again: readonly string[];
  /** Keys that come up at a time. */
  readonly due: { readonly [key: string]: number };
  /** It was emptied: only the resync brings back what was lost. */
  readonly flushed?: true;
}

export interface Process {
  readonly queue: Queue;
  readonly passes: readonly Pass[];
  readonly memory: unknown;
  readonly views: readonly View[];
}

// Copies name all parts: processes and worlds follow from each other by the million, and by spreads each would get a shape of
// its own out of that of the one before.

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
  /** Which of the scenario's instants it is. */
  readonly at: number;
  /** How often each action of the workload was taken. */
  readonly taken: { readonly [action: string]: number };
}

/** The whole simulated world in one moment: immutable, plain JSON, and all that what happens next depends on. */
export interface World {
  readonly script: Script;
  readonly store: ModelStore;
  /** Requests whose senders are gone or have given up; they may still arrive, in any order. */
  readonly zombies: readonly ApiRequest[];
  /** The states of the invariants, in their order. */
  readonly ghosts: readonly unknown[];
  readonly processes: readonly Process[];
}

export const withScript = ({ store, zombies, ghosts, processes }: World, script: Script): World => ({
  script,
  store,
  zombies,
  ghosts,
  processes,
});

export const withZombies = (
  { script, store, ghosts, processes }: World,
  zombies: World['zombies'],
): World => ({ script, store, zombies, ghosts, processes });

export const withProcesses = (
  { script, store, zombies, ghosts }: World,
  processes: readonly Process[],
): World => ({ script, store, zombies, ghosts, processes });

/** Something a user, a node or another controller does. */
export interface Action {
  readonly name: string;
  /** How often at most. Default 1. */
  readonly times?: number;
  /** Only once the action of this name was taken. */
  readonly after?: string;
  /** Comes before any time passes. Default false. */
  readonly prompt?: boolean;
  /** Goes on without anybody's wish, as a Job that ends does: liveness may rely on it. Default false. */
  readonly progress?: boolean;
  /** The request it makes now; undefined when it cannot be taken. */
  readonly request: (objects: ModelStore['objects'], nowMs: number) => ApiRequest | undefined;
}

/** An object that is there from the start; the model gives it uid and version. */
export interface Planted {
  /** As `resourceOf` writes it. */
  readonly resource: string;
  readonly object: Any;
}

/** A part of a workload. */
export interface Group {
  /** Objects that are there from the start; names of namespaces among them are held to exist. */
  readonly objects: readonly Planted[];
  readonly actions: readonly Action[];
  /**
   * An effect that each process has run before the search begins: what the controller follows only once it has worked,
   * it follows.
   */
  readonly prelude?: { readonly effect: string; readonly input: unknown };
}

/** An entry of a controller's memory that says the same whatever object it was learned from. */
export interface Lesson {
  /** Which of the Maps that the effects' factory makes. */
  readonly container: number;
  readonly key: string;
  readonly value: unknown;
}

/** A small workload for one controller. */
export interface Scenario extends Group {
  readonly controller: string;
  /** Where it falls into parts that should have nothing to do with each other: those. Whether they have is seen to. */
  readonly groups?: readonly Group[];
  /** What the groups teach each other: each is explored with somebody else learning it at any time. */
  readonly lessons?: readonly Lesson[];
  /** Objects that are there for all groups, and that nobody writes. */
  readonly shared?: readonly Planted[];
  /** The times that the clock shows, one after another, milliseconds since the epoch. */
  readonly instants: readonly number[];
  /** The clock moves on only when all is at rest: for a controller to which it is the same how long a pass takes. */
  readonly patient?: boolean;
  readonly invariants: readonly Invariant[];
  /** Passes at one time in one process. Default 1. */
  readonly workers?: number;
  /** Answers of reviews. */
  readonly review?: (resource: string, body: unknown, nowMs: number) => unknown;
  /** What raw GETs answer, by path. */
  readonly documents?: { readonly [path: string]: unknown };
}
