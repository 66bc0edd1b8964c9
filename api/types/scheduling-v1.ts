import {
  type Infer,
  boolean,
  int32,
  oneOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Kind PriorityClass: a named priority of pods. */
export const PriorityClass = struct('api.scheduling.v1.PriorityClass', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  value: required(2, int32),
  globalDefault: value(3, boolean),
  description: value(4, string),
  preemptionPolicy: optional(5, oneOf('Never', 'PreemptLowerPriority')),
});
export interface PriorityClass extends Infer<typeof PriorityClass> {}
