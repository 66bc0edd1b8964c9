import { defineVersion } from '../conversion/version.ts';
import { defineKind } from '../kinds/kind.ts';
import { CHANGE } from '../kinds/policy.ts';
import type { PodDisruptionBudget as Stored } from '../types/policy-v1.ts';
import { PodDisruptionBudget, PodSecurityPolicy } from '../types/policy-v1beta1.ts';
import { podDisruptionBudgets } from './policy-v1.ts';
import { disruptionBudgetConversion } from './policy/disruption-budget-v1beta1.ts';
import { podSecurityPolicyColumns, podSecurityPolicyStrategy } from './policy/pod-security-policy.ts';

const deprecated = { since: '1.21', removedRelease: '1.25' } as const;

/** Kind `PodDisruptionBudget` of `policy/v1beta1`. */
export const podDisruptionBudgetsV1beta1 = defineVersion<Stored, Stored>(podDisruptionBudgets, {
  version: 'v1beta1',
  schema: PodDisruptionBudget,
  conversion: disruptionBudgetConversion,
  deprecated: { ...deprecated, replacement: { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' } },
});

/**
 * Kind `PodSecurityPolicy` of `policy/v1beta1`. Objects are stored and validated, but not enforced, as on a
 * cluster without the admission plugin.
 */
export const podSecurityPolicies = defineKind<PodSecurityPolicy>({
  group: 'policy',
  // Former group of the kind, which upstream's errors still name.
  errorGroup: 'extensions',
  version: 'v1beta1',
  kind: 'PodSecurityPolicy',
  plural: 'podsecuritypolicies',
  shortNames: ['psp'],
  namespaced: false,
  schema: PodSecurityPolicy,
  strategy: podSecurityPolicyStrategy,
  columns: podSecurityPolicyColumns,
  deprecated,
  policy: { rechecks: CHANGE },
});
