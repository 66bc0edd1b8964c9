/** A pod that the Job controls, as far as decisions need it. */
export interface ObservedPod {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly scheduled: boolean;
  readonly ready: boolean;
  readonly readySinceMs: number;
  /** Restarts of all its containers. */
  readonly restarts: number;
  readonly createdMs: number;
  /** When it ended, or was last known to run; for back-off. */
  readonly endedMs: number;
  readonly deleting: boolean;
  /** It carries the finalizer that keeps it until it is counted. */
  readonly tracked: boolean;
  /** Completion index, of pods of an Indexed Job. */
  readonly index: number | undefined;
}

/** A pod that is written to. */
export type PodRef = Pick<ObservedPod, 'name' | 'uid' | 'resourceVersion' | 'tracked'>;

export interface JobCounts {
  readonly active: number;
  readonly ready: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly completedIndexes: string;
  /** Uids of pods that have ended and still carry the finalizer: not yet in the counts. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
}

/** Everything one pass decides on, read at one time; plain JSON. */
export interface ObservedJob {
  readonly nowMs: number;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  /** Complete or Failed: nothing is done for it any more. */
  readonly finished: boolean;
  /** The status is this controller's reckoning; false for a Job it has not begun with. */
  readonly tracked: boolean;
  /**
   * Whether the server keeps the uids of `uncounted`; undefined while no answer has shown it. Those before release 1.22
   * do not: there, pods are not tracked.
   */
  readonly keepsUncounted: boolean | undefined;
  readonly parallelism: number;
  /** Undefined: done with the first success. */
  readonly completions: number | undefined;
  readonly indexed: boolean;
  readonly backoffLimit: number;
  readonly activeDeadlineMs: number | undefined;
  readonly suspend: boolean;
  /** The pods restart their containers themselves. */
  readonly restartsInPlace: boolean;
  readonly startMs: number | undefined;
  /** Status of the condition `Suspended`. */
  readonly suspended: boolean | undefined;
  readonly counts: JobCounts;
  readonly pods: readonly ObservedPod[];
  /** Pods that its selector takes and nobody controls. */
  readonly adoptable: readonly PodRef[];
  /** Pods it controls that its selector takes no more. */
  readonly strayed: readonly PodRef[];
}

/** What one pass sees of a key. */
export type Observation =
  | { readonly state: 'job'; readonly job: ObservedJob; readonly orphans: readonly PodRef[] }
  /** There is no such Job; pods that are left of one are let go. */
  | { readonly state: 'gone'; readonly orphans: readonly PodRef[] }
  /** The cache does not yet show what was done last. */
  | { readonly state: 'behind' };
