import type { ApiObject, DeepReadonly } from '../kinds/kind.ts';
import type { ScopedResourceSelectorRequirement } from '../types/core-v1-quota.ts';
import type { ResourceList } from './resource-list.ts';

export type Requirement = DeepReadonly<ScopedResourceSelectorRequirement>;

/** How objects of one kind count against quotas (release 1.24, `quota.Evaluator`). Pure. */
export interface QuotaEvaluator {
  /** Besides creation, whether an update can need more. */
  readonly countsUpdates: boolean;
  /** Which of a quota's resources objects of the kind use. */
  matchingResources(names: Iterable<string>): readonly string[];
  matchesScope(requirement: Requirement, object: DeepReadonly<ApiObject>): boolean;
  /** Whether the limits of a configuration to scopes hold for the kind. */
  readonly hasScopes: boolean;
  /** What an object leaves out that a quota on these resources asks for. */
  missing(required: readonly string[], object: DeepReadonly<ApiObject>): string | undefined;
  usage(object: DeepReadonly<ApiObject>, nowMs: number): ResourceList;
}
