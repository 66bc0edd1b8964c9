import type { ResourceName } from '../model/view.ts';

/** All lifecycles with the number of objects in each state. */
export interface LifecyclesDocument {
  readonly kind: 'Lifecycles';
  readonly atMs: number;
  /** Time since which transitions are counted, in milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly items: readonly LifecycleDocument[];
}

/** Objects of one lifecycle by state. */
export interface LifecycleDocument {
  readonly id: string;
  readonly noun: string;
  /** Name of the machine, whose picture is at `/machines/NAME`. */
  readonly machine: string;
  /** Resources whose objects are counted. */
  readonly resources: readonly ResourceName[];
  /** True once the objects of all resources are known. */
  readonly synced: boolean;
  /** Reason why objects are missing. */
  readonly problem?: string;
  readonly objects: number;
  readonly states: readonly LifecycleStateDocument[];
  /** Transitions of the last hour between two states, `absent` and `deleted` included. */
  readonly transitions: readonly { readonly from: string; readonly to: string; readonly taken: number }[];
}

/** Objects in one state. */
export interface LifecycleStateDocument {
  readonly state: string;
  readonly meaning: string;
  readonly objects: number;
  /** Longest time in milliseconds for which an object has been in the state; 0 without objects. */
  readonly longestMs: number;
}

/** A page of objects, those that have been in their state longest first. */
export interface LifecycleObjectsDocument {
  readonly kind: 'LifecycleObjects';
  readonly atMs: number;
  /** Number of objects on all pages. */
  readonly total: number;
  readonly offset: number;
  readonly items: readonly LifecycleObject[];
}

/** One object with its state. */
export interface LifecycleObject {
  readonly resource: ResourceName;
  /** `namespace/name`, or `name` for a cluster-scoped object. */
  readonly object: string;
  readonly state: string;
  /** Time at which it entered the state, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /**
   * False if it was in the state before it was first observed. Then `sinceMs` is the time of the last change that its
   * fields show.
   */
  readonly isObserved: boolean;
}
