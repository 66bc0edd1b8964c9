import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { LiveView } from '../../invariants/invariant.ts';

type Any = DeepReadonly<ApiObject>;

/** A finalizer that a controller removes, and the reason for which it holds an object. */
export interface Reason {
  readonly id: string;
  readonly says: string;
  readonly finalizer: string;
  /** Resources whose objects may have it. */
  readonly resources: readonly string[];
  /** Returns the finalizers of an object; default those in its metadata. */
  readonly finalizersOf?: (object: Any) => readonly string[];
  /** True if the reason still exists. */
  readonly isNeeded: (object: Any, live: LiveView) => boolean;
}
