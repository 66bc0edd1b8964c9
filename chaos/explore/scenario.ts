import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Invariant } from '../invariants/invariant.ts';
import type { Any, ApiRequest } from './api-request.ts';
import type { ModelStore } from './model-store.ts';

/** Effect that each process runs before the search. */
export interface Prelude {
  readonly effect: string;
  readonly input: unknown;
}

/** An action of a user, a node or a controller that is not explored. */
export interface Action {
  readonly name: string;
  /** Maximum number of times that the action happens; default 1. */
  readonly times?: number;
  /** Name of an action that must have happened before. */
  readonly after?: string;
  /** True if the action must happen before time passes; default false. */
  readonly prompt?: boolean;
  /**
   * True if the action happens without a user's decision, such as the end of a Job, so that liveness may
   * depend on it. Default false.
   */
  readonly progress?: boolean;
  /** Returns the request of the action; undefined if the action is impossible at the moment. */
  readonly request: (objects: ModelStore['objects'], nowMs: number) => ApiRequest | undefined;
}

/** An initial object. The model assigns its uid and version. */
export interface Planted {
  /** Resource in the format of `resourceOf`. */
  readonly resource: string;
  readonly object: Any;
}

/** A part of a workload. */
export interface Group {
  /**
   * Initial objects. If a namespace is among them, creations in it require that it exists and is not
   * terminating.
   */
  readonly objects: readonly Planted[];
  readonly actions: readonly Action[];
  /**
   * Effect that each process runs before the search. A controller that starts its informers on first use
   * needs it.
   */
  readonly prelude?: Prelude;
}

/** A memory entry whose value is the same for every object from which it is learned. */
export interface Lesson {
  /** Index of the Map or Set among those that the effects factory creates. */
  readonly container: number;
  readonly key: string;
  readonly value: unknown;
}

/** A small workload for one controller. */
export interface Scenario extends Group {
  readonly controller: string;
  /**
   * Groups that should be independent. The explorer explores them separately only if it finds no dependency.
   */
  readonly groups?: readonly Group[];
  /**
   * Entries that one group may learn from another. In the search of each group, an entry may appear at any
   * time.
   */
  readonly lessons?: readonly Lesson[];
  /** Objects that belong to all groups and that no action writes. */
  readonly shared?: readonly Planted[];
  /** Times of the clock in ascending order, in milliseconds since the epoch. */
  readonly instants: readonly number[];
  /**
   * True if the clock moves only in quiescent worlds. Suitable for controllers that do not depend on the
   * duration of a reconcile.
   */
  readonly patient?: boolean;
  /**
   * Longest requeue delay that counts as immediate, in milliseconds; default 5 s. A controller that waits for
   * less than that after an instant needs 0, or it seems to repeat its reconcile for ever.
   */
  readonly soonMs?: number;
  readonly invariants: readonly Invariant[];
  /** Maximum number of concurrent reconciliations in one process; default 1. */
  readonly workers?: number;
  /** Returns the response to a review. */
  readonly review?: (resource: string, body: unknown, nowMs: number) => unknown;
  /** Response bodies of raw GETs by path. */
  readonly documents?: { readonly [path: string]: unknown };
}

/** Creates the workload of a controller with a number of objects. */
export type ScenarioOf = (vocabulary: Vocabulary, objects: number) => Scenario;
