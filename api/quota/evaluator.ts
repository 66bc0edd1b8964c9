import type { ApiObject, DeepReadonly } from '../kinds/kind.ts';
import { quantityOf } from '../quantity/quantity.ts';
import type { ResourceQuota } from '../types/core-v1-quota.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { claimEvaluator } from './claims.ts';
import type { QuotaEvaluator, Requirement } from './kind-evaluator.ts';
import { podEvaluator } from './pods.ts';
import { type ResourceList, toResourceList } from './resource-list.ts';
import { serviceEvaluator } from './services.ts';

/** Core resources that a quota can limit by their plural, in addition to `count/<plural>`. */
const NAMED = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);
const ONE = quantityOf(1);

/** Returns the name of an object count in quotas: `count/deployments.apps`, `count/pods`. */
const countName = (servedGroup: string, plural: string): string =>
  `count/${plural}${servedGroup === '' ? '' : `.${servedGroup}`}`;

/** Returns an evaluator that only counts objects. */
function countEvaluator(servedGroup: string, plural: string): QuotaEvaluator {
  const names = [
    countName(servedGroup, plural),
    ...(servedGroup === '' && NAMED.has(plural) ? [plural] : []),
  ];
  const usage: ResourceList = new Map(names.map((name) => [name, ONE]));
  return {
    countsUpdates: false,
    matchingResources: (given) => [...given].filter((name) => names.includes(name)),
    matchesScope: () => false,
    hasScopes: false,
    missing: () => undefined,
    usage: () => usage,
  };
}

/** Returns the evaluator of a kind. `group` is the name of the group without suffix. */
export function evaluatorOf(
  { group, plural }: { readonly group: string; readonly plural: string },
  vocabulary: Vocabulary,
): QuotaEvaluator {
  if (group === '' && plural === 'pods') return podEvaluator(vocabulary);
  if (group === '' && plural === 'services') return serviceEvaluator;
  if (group === '' && plural === 'persistentvolumeclaims') return claimEvaluator(vocabulary);
  return countEvaluator(vocabulary.group(group), plural);
}

/** Returns the scopes of a quota, from the fields `scopes` and `scopeSelector`. */
export const requirementsOf = ({ spec }: DeepReadonly<ResourceQuota>): readonly Requirement[] => [
  ...(spec?.scopes ?? []).map((scopeName): Requirement => ({ scopeName, operator: 'Exists' })),
  ...(spec?.scopeSelector?.matchExpressions ?? []),
];

/** True if a quota that limits `hard` applies to an object. */
export const isAbout = (
  evaluator: QuotaEvaluator,
  quota: DeepReadonly<ResourceQuota>,
  hard: Iterable<string>,
  object: DeepReadonly<ApiObject>,
): boolean =>
  evaluator.matchingResources(hard).length > 0 &&
  requirementsOf(quota).every((requirement) => evaluator.matchesScope(requirement, object));

/** Returns the limits of a quota, from its status. */
export const hardOf = ({ status }: DeepReadonly<ResourceQuota>): ResourceList => toResourceList(status?.hard);
/** Returns the recorded usage of a quota. */
export const usedOf = ({ status }: DeepReadonly<ResourceQuota>): ResourceList => toResourceList(status?.used);
