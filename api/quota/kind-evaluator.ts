import type { ApiObject, DeepReadonly } from '../kinds/kind.ts';
import type { ScopedResourceSelectorRequirement } from '../types/core-v1-quota.ts';
import type { ResourceList } from './resource-list.ts';

/** A requirement of a quota on the scope of objects. */
export type Requirement = DeepReadonly<ScopedResourceSelectorRequirement>;

/**
 * Pure functions that compute how objects of one kind count against quotas (`quota.Evaluator` in Kubernetes
 * 1.24).
 */
export interface QuotaEvaluator {
  /** True if updates can increase the usage. */
  readonly countsUpdates: boolean;
  /** Returns the resources among `names` that objects of the kind use. */
  matchingResources(names: Iterable<string>): readonly string[];
  matchesScope(requirement: Requirement, object: DeepReadonly<ApiObject>): boolean;
  /** True if scoped limits of the admission configuration apply to the kind. */
  readonly hasScopes: boolean;
  /**
   * Returns a message that names the resources in `required` whose amounts the object fails to declare;
   * undefined if it declares all of them.
   */
  missing(required: readonly string[], object: DeepReadonly<ApiObject>): string | undefined;
  usage(object: DeepReadonly<ApiObject>, nowMs: number): ResourceList;
}
