/** How often a kind validates metadata again after the generic code has. */
export interface Rechecks {
  /** Times that all of it is validated again. */
  readonly whole: number;
  /** Times that the change is validated again. */
  readonly change: number;
}

/** Policy of the API server for objects of a kind, besides its strategy. Values are those of release 1.24, `pkg/registry`. */
export interface KindPolicy {
  /** A PUT to a name that does not exist creates the object. */
  readonly createOnUpdate: boolean;
  /** A PUT without `resourceVersion` overwrites whatever is stored. */
  readonly unconditionalUpdate: boolean;
  /** A completed deletion returns the object, not a `Status`. */
  readonly returnsDeleted: boolean;
  /** Propagation if the client chooses none; `none`: the kind has no dependents. */
  readonly dependents: 'delete' | 'orphan' | 'none';
  /** How deletion begins. */
  readonly deletion: 'immediate' | 'pod' | 'namespace' | 'definition';
  /** Objects are deleted some time after their last write. */
  readonly expires: boolean;
  /**
   * True if neither defaults nor the strategy write into items of lists of a complete object: an apply may then share
   * them with the previous object.
   */
  readonly sharesItems: boolean;
  /** How often the strategy validates the metadata of an update again. */
  readonly rechecks: Rechecks;
  /** The same for an update through a subresource. */
  readonly statusRechecks: Rechecks;
  /** Objects that cannot be deleted by name, and why. A deletion of the collection deletes them. */
  readonly kept?: { readonly names: readonly string[]; readonly because: string };
  /** Warning of a deletion without a propagation policy. */
  readonly deletionWarning?: string;
}

/** The policy of a kind that states none. */
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

/** No validation of metadata besides the generic one. */
export const UNCHECKED: Rechecks = { whole: 0, change: 0 };
/** All metadata is validated once more. */
export const WHOLE: Rechecks = { whole: 1, change: 0 };
/** The change of the metadata is validated once more. */
export const CHANGE: Rechecks = { whole: 0, change: 1 };
/** All metadata is validated twice more. */
export const WHOLE_TWICE: Rechecks = { whole: 2, change: 0 };
/** All metadata is validated twice more, and its change once. */
export const WHOLE_TWICE_AND_CHANGE: Rechecks = { whole: 2, change: 1 };
