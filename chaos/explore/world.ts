import type { ApiRequest } from './api-request.ts';
import type { EffectRun } from './effect-table.ts';
import type { MachineState } from './machine-table.ts';
import type { ModelStore } from './model-store.ts';
import type { View } from './views.ts';
import type { Queue } from './queue.ts';

/** A request that was sent and has no response yet. `to` is its number within its effect. */
export interface OpenRequest {
  readonly to: number;
  readonly request: ApiRequest;
}

/**
 * A reconcile of one key: the state of its machine, and the progress of the effect that the state invokes.
 */
export interface Reconcile {
  readonly key: string;
  readonly machine: MachineState;
  readonly run: EffectRun;
  readonly asked: number;
  readonly open: readonly OpenRequest[];
}

export interface Process {
  readonly queue: Queue;
  readonly reconciles: readonly Reconcile[];
  readonly memory: unknown;
  readonly views: readonly View[];
}

// Copies list all fields instead of using spread syntax. Millions of copies are created, and all must have
// the same hidden class of the engine.

export const withQueue = ({ reconciles, memory, views }: Process, queue: Queue): Process => ({
  queue,
  reconciles,
  memory,
  views,
});

export const withReconciles = (
  { queue, memory, views }: Process,
  reconciles: readonly Reconcile[],
): Process => ({
  queue,
  reconciles,
  memory,
  views,
});

export const withMemory = ({ queue, reconciles, views }: Process, memory: unknown): Process => ({
  queue,
  reconciles,
  memory,
  views,
});

export const withViews = ({ queue, reconciles, memory }: Process, views: readonly View[]): Process => ({
  queue,
  reconciles,
  memory,
  views,
});

export interface Script {
  /** Index of the current time in the scenario's instants. */
  readonly at: number;
  /** Number of times that each action has happened. */
  readonly taken: { readonly [action: string]: number };
}

/**
 * The complete simulated world at one moment. It is immutable plain JSON that determines every possible
 * future.
 */
export interface ModelWorld {
  readonly script: Script;
  readonly store: ModelStore;
  /** Requests whose senders crashed or timed out. They may still arrive, in any order. */
  readonly zombies: readonly ApiRequest[];
  /** States of the invariants in the order of the scenario. */
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
