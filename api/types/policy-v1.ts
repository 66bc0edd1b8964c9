import {
  type Infer,
  int32,
  int64,
  intOrString,
  listOf,
  mapOf,
  optional,
  ref,
  required,
  struct,
  time,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { Condition, DeleteOptions, LabelSelector, ObjectMeta } from './meta-v1.ts';

/** Spec of a PodDisruptionBudget: either `minAvailable` or `maxUnavailable`, and the selected pods. */
export const PodDisruptionBudgetSpec = struct('api.policy.v1.PodDisruptionBudgetSpec', {
  minAvailable: optional(1, intOrString),
  selector: optional(2, ref<LabelSelector>(LabelSelector), { patchStrategy: ['replace'] }),
  maxUnavailable: optional(3, intOrString),
});
export interface PodDisruptionBudgetSpec extends Infer<typeof PodDisruptionBudgetSpec> {}

/** Status of a PodDisruptionBudget: the numbers of its pods and of the allowed disruptions. */
export const PodDisruptionBudgetStatus = struct('api.policy.v1.PodDisruptionBudgetStatus', {
  observedGeneration: value(1, int64),
  disruptedPods: value(2, mapOf(time)),
  disruptionsAllowed: required(3, int32),
  currentHealthy: required(4, int32),
  desiredHealthy: required(5, int32),
  expectedPods: required(6, int32),
  conditions: value(7, listOf(ref<Condition>(Condition)), {
    listType: 'map',
    listMapKeys: ['type'],
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface PodDisruptionBudgetStatus extends Infer<typeof PodDisruptionBudgetStatus> {}

/** Kind PodDisruptionBudget: limits the number of pods that are evicted at the same time. */
export const PodDisruptionBudget = struct('api.policy.v1.PodDisruptionBudget', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<PodDisruptionBudgetSpec>(PodDisruptionBudgetSpec)),
  status: value(3, ref<PodDisruptionBudgetStatus>(PodDisruptionBudgetStatus)),
});
export interface PodDisruptionBudget extends Infer<typeof PodDisruptionBudget> {}

/** Kind Eviction: a request to delete a pod if its PodDisruptionBudgets allow it. */
export const Eviction = struct('api.policy.v1.Eviction', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  deleteOptions: optional(2, ref<DeleteOptions>(DeleteOptions)),
});
export interface Eviction extends Infer<typeof Eviction> {}
