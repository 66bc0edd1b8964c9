/** Number of times that a kind's strategy repeats the validation of metadata after the generic code. */
export interface Rechecks {
  /** Number of repeated validations of the complete metadata. */
  readonly whole: number;
  /** Number of repeated comparisons of the new metadata with the previous metadata. */
  readonly change: number;
}

/**
 * Rules of the API server's write path for objects of a kind that are not in its strategy. The values are those
 * of the strategies in https://github.com/kubernetes/kubernetes/tree/v1.24.0/pkg/registry.
 */
export interface KindPolicy {
  /** True if a PUT to a name that does not exist creates the object. */
  readonly createOnUpdate: boolean;
  /** True if a PUT without `resourceVersion` overwrites the stored object. */
  readonly unconditionalUpdate: boolean;
  /** True if a completed deletion returns the object instead of a `Status`. */
  readonly returnsDeleted: boolean;
  /** Propagation policy if the client chooses none; `none` if objects of the kind have no dependents. */
  readonly dependents: 'delete' | 'orphan' | 'none';
  /** Procedure that starts the deletion of an object. */
  readonly deletion: 'immediate' | 'pod' | 'namespace' | 'definition';
  /** True if each object is deleted some time after its last write. */
  readonly expires: boolean;
  /**
   * True if neither defaults nor the strategy change list items of a complete object. An apply may then share
   * list items with the previous object instead of copying them.
   */
  readonly sharesItems: boolean;
  /** Repeated validations on an update of the main resource. */
  readonly rechecks: Rechecks;
  /** Repeated validations on an update through a subresource. */
  readonly statusRechecks: Rechecks;
  /**
   * Names of objects that cannot be deleted individually, and the reason for the error message. Deleting the
   * collection still deletes these objects.
   */
  readonly undeletable?: { readonly names: readonly string[]; readonly because: string };
  /** Warning for a deletion without a propagation policy. */
  readonly deletionWarning?: string;
}

/** Policy of a kind that declares none. */
export const USUAL_POLICY: KindPolicy = {
  createOnUpdate: false,
  unconditionalUpdate: true,
  returnsDeleted: false,
  dependents: 'delete',
  deletion: 'immediate',
  expires: false,
  sharesItems: false,
  rechecks: { whole: 1, change: 1 },
  statusRechecks: { whole: 0, change: 1 },
};

/** No repeated validation of metadata. */
export const UNCHECKED: Rechecks = { whole: 0, change: 0 };
/** One repeated validation of the complete metadata. */
export const WHOLE: Rechecks = { whole: 1, change: 0 };
/** One repeated comparison of the metadata with its previous state. */
export const CHANGE: Rechecks = { whole: 0, change: 1 };
/** Two repeated validations of the complete metadata. */
export const WHOLE_TWICE: Rechecks = { whole: 2, change: 0 };
/** Two repeated validations of the complete metadata and one comparison with its previous state. */
export const WHOLE_TWICE_AND_CHANGE: Rechecks = { whole: 2, change: 1 };
