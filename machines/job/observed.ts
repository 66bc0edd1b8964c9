/** Fields of a pod the Job controls that decisions need. */
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
  /** Time in milliseconds at which the pod ended or was last known to run; for the backoff. */
  readonly endedMs: number;
  readonly deleting: boolean;
  /** True if the pod has the finalizer that keeps it until it is counted. */
  readonly tracked: boolean;
  /** Completion index of a pod of an Indexed Job. */
  readonly index: number | undefined;
}

/** Pod that is a target of a write. */
export type PodRef = Pick<ObservedPod, 'name' | 'uid' | 'resourceVersion' | 'tracked'>;

export interface JobCounts {
  readonly active: number;
  readonly ready: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly completedIndexes: string;
  /** Uids of pods that have ended and still have the finalizer; not in the counts yet. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
}

/** Input of one decision, read at one time, as plain JSON. */
export interface ObservedJob {
  readonly nowMs: number;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  /** True if the Job is Complete or Failed: nothing more is done for it. */
  readonly finished: boolean;
  /** True if this controller wrote the status; false for a Job it has not started with. */
  readonly tracked: boolean;
  /**
   * True if the server keeps the uids of `uncounted`; undefined until a response has shown it. Servers before
   * release 1.22 do not, so pods are not tracked there.
   */
  readonly keepsUncounted: boolean | undefined;
  readonly parallelism: number;
  /** Required successes; undefined means the first success completes the Job. */
  readonly completions: number | undefined;
  readonly indexed: boolean;
  readonly backoffLimit: number;
  readonly activeDeadlineMs: number | undefined;
  readonly suspend: boolean;
  /** True if the pods restart their containers themselves. */
  readonly restartsInPlace: boolean;
  readonly startMs: number | undefined;
  /** Status of the condition `Suspended`; undefined if there is none. */
  readonly suspended: boolean | undefined;
  readonly counts: JobCounts;
  readonly pods: readonly ObservedPod[];
  /** Pods that match the selector and have no controller. */
  readonly adoptable: readonly PodRef[];
  /** Pods the Job controls that no longer match its selector. */
  readonly strayed: readonly PodRef[];
}

/** Observation of one key. */
export type Observation =
  | { readonly state: 'job'; readonly job: ObservedJob; readonly orphans: readonly PodRef[] }
  /** The Job does not exist; its remaining pods are released. */
  | { readonly state: 'gone'; readonly orphans: readonly PodRef[] }
  /** The cache does not show the last write yet. */
  | { readonly state: 'behind' };
