import type { ApiObject, DeepReadonly, Kind } from '../../../api/kinds/index.ts';

/** Order in which a controller gives up dependents of one owner. */
export interface Preference {
  readonly id: string;
  readonly says: string;
  readonly owners: Kind<never>;
  readonly dependents: Kind<never>;
  /** Returns the class in which dependents are interchangeable; undefined if the order is none of its concern. */
  readonly classOf: (object: DeepReadonly<ApiObject>) => string | undefined;
  /** Returns a number that is lower for dependents that must be deleted first. */
  readonly rankOf: (object: DeepReadonly<ApiObject>) => number;
}
