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
  readonly text: string;
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
