import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Invariant } from '../invariants/invariant.ts';
import type { Any, ApiRequest } from './api-request.ts';
import type { ModelStore } from './model-store.ts';

/** Effect that each process runs before the search. */
export interface Prelude {
  readonly effect: string;
  readonly input: unknown;
}

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
  readonly prelude?: Prelude;
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
  /**
   * Longest requeue delay that counts as immediate, in milliseconds; default 5 s. A controller that waits for
   * less than that after an instant needs 0, or it seems to repeat its reconcile for ever.
   */
  readonly soonMs?: number;
  readonly invariants: readonly Invariant[];
  /** Concurrent reconciliations in one process; default 1. */
  readonly workers?: number;
  /** Answers reviews. */
  readonly review?: (resource: string, body: unknown, nowMs: number) => unknown;
  /** Answers of raw GETs by path. */
  readonly documents?: { readonly [path: string]: unknown };
}

/** Creates the workload of a controller with a number of objects. */
export type ScenarioOf = (vocabulary: Vocabulary, objects: number) => Scenario;
