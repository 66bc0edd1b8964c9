import { defineKind } from '../kinds/kind.ts';
import { UNCHECKED } from '../kinds/policy.ts';
import { PodDisruptionBudget } from '../types/policy-v1.ts';
import {
  disruptionBudgetColumns,
  disruptionBudgetStrategy,
  disruptionBudgetSubresources,
} from './policy/disruption-budget.ts';

/** Kind `PodDisruptionBudget` of `policy/v1`. */
export const podDisruptionBudgets = defineKind<PodDisruptionBudget>({
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  nameRule: 'path-segment',
  shortNames: ['pdb'],
  namespaced: true,
  generation: true,
  schema: PodDisruptionBudget,
  anyFinalizer: true,
  strategy: disruptionBudgetStrategy,
  subresources: disruptionBudgetSubresources,
  columns: disruptionBudgetColumns,
  policy: { unconditionalUpdate: false, rechecks: UNCHECKED, statusRechecks: UNCHECKED },
});
