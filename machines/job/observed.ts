/** Fields of a pod that the Job controls, as far as decisions need them. */
export interface ObservedPod {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  readonly scheduled: boolean;
  readonly ready: boolean;
  readonly readySinceMs: number;
  /** Total number of restarts of the pod's containers. */
  readonly restarts: number;
  readonly createdMs: number;
  /**
   * Time at which the pod ended or was last known to run, in milliseconds since the epoch; used for the
   * backoff.
   */
  readonly endedMs: number;
  readonly deleting: boolean;
  /** True if the pod has the finalizer that prevents its deletion until it is counted. */
  readonly tracked: boolean;
  /** Completion index of a pod of an Indexed Job. */
  readonly index: number | undefined;
}

/** Pod to write. */
export type PodRef = Pick<ObservedPod, 'name' | 'uid' | 'resourceVersion' | 'tracked'>;

export interface JobCounts {
  readonly active: number;
  readonly ready: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly completedIndexes: string;
  /** Uids of pods that have ended, still have the finalizer and are not in the counts yet. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
}

/** Input of one decision as plain JSON, all of it read at the same time. */
export interface ObservedJob {
  readonly nowMs: number;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  /** True if the Job is Complete or Failed; no further pods are created. */
  readonly finished: boolean;
  /** True if this controller wrote the status, false if another controller started the Job. */
  readonly tracked: boolean;
  /**
   * True if the server stores the uids of `uncounted`; undefined until a response has proved either. Servers
   * before release 1.22 do not store them, so pods are not tracked there.
   */
  readonly keepsUncounted: boolean | undefined;
  readonly parallelism: number;
  /** Required number of successes; undefined if the first success completes the Job. */
  readonly completions: number | undefined;
  readonly indexed: boolean;
  readonly backoffLimit: number;
  readonly activeDeadlineMs: number | undefined;
  readonly suspend: boolean;
  /** True if the kubelet restarts the containers of the pods. */
  readonly restartsInPlace: boolean;
  readonly startMs: number | undefined;
  /** Status of the condition `Suspended`; undefined without the condition. */
  readonly suspended: boolean | undefined;
  readonly counts: JobCounts;
  readonly pods: readonly ObservedPod[];
  /** Pods that match the selector and have no controller. */
  readonly adoptable: readonly PodRef[];
  /** Pods that the Job controls and that no longer match its selector. */
  readonly strayed: readonly PodRef[];
}

/** Observation of one key. */
export type Observation =
  | { readonly state: 'job'; readonly job: ObservedJob; readonly orphans: readonly PodRef[] }
  /** The Job does not exist; its remaining pods are released. */
  | { readonly state: 'gone'; readonly orphans: readonly PodRef[] }
  /** The cache does not contain the last write yet. */
  | { readonly state: 'behind' };
