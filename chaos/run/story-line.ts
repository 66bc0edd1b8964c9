import type { FaultName } from '../world/fault-kinds.ts';

/** An event of a run, in the lane of its actor. */
export interface StoryLine {
  readonly step: number;
  /** Virtual milliseconds since the start. */
  readonly atMs: number;
  /** Lane: a controller, `store`, `queue` or `fault`. */
  readonly lane: string;
  /** Process of a controller or queue, if there are several. */
  readonly process?: string;
  /**
   * The reconcile that the line belongs to, and its text without the key: `deleting` in `team/a in deleting`.
   */
  readonly course?: { readonly reconcile: string; readonly said: string; readonly hasFailed?: boolean };
  /** Object of a store change. */
  readonly object?: ChangedObject;
  /** Author of a store change, and the object's revision afterwards; no revision for a deletion. */
  readonly by?: string;
  readonly revision?: string;
  /** Process of the author of a store change, if there are several. */
  readonly node?: string;
  /** Virtual time at which the request of a store change was sent, if it was under way for a while. */
  readonly sentAtMs?: number;
  /** First arrival of a store change in each process that received it. */
  readonly arrivals?: readonly Arrival[];
  /** The fault of a line in the lane `fault`. */
  readonly fault?: InjectedFault;
  readonly text: string;
}

/** Arrival of a change in the caches of a process. */
export interface Arrival {
  readonly step: number;
  readonly atMs: number;
  /** The process; undefined if the run has only one. */
  readonly process?: string;
}

/** A fault and its place, such as `cronjob create jobs team/`. */
export interface InjectedFault {
  readonly name: FaultName;
  readonly where: string;
}

/** Object of a store change. */
export interface ChangedObject {
  /** Name, after the namespace if it has one: `team/a`. */
  readonly key: string;
  readonly uid: string;
  /** Uids of its owners. */
  readonly owners: readonly string[];
  /** Verb and resource: `patch batch/jobs/status`. */
  readonly change: string;
}
