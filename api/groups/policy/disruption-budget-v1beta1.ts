import type { Conversion } from '../../conversion/version.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import type { PodDisruptionBudget } from '../../types/policy-v1.ts';
import type { LabelSelectorRequirement } from '../../types/meta-v1.ts';
import { isEmptySelector } from '../../validation/label-selector.ts';

/** A label that no pod has. Requiring it selects no pods, requiring its absence selects all pods. */
const MARK = 'deprecated-v1beta1-empty-selector-match';

type Budget = DeepReadonly<PodDisruptionBudget>;
type Selector = NonNullable<NonNullable<Budget['spec']>['selector']>;
type Requirement = NonNullable<Selector['matchExpressions']>[number];

const isOnly = (selector: Selector, { key, operator }: Requirement): boolean => {
  const [first, ...more] = selector.matchExpressions ?? [];
  return (
    Object.keys(selector.matchLabels ?? {}).length + more.length === 0 &&
    first?.key === key &&
    first.operator === operator
  );
};

/**
 * Replaces an empty selector by `whenEmpty`, and a selector that consists only of `becomesEmpty` by an empty
 * selector.
 */
function exchanged(budget: Budget, whenEmpty: Requirement, becomesEmpty: Requirement): PodDisruptionBudget {
  const next = structuredClone(budget) as PodDisruptionBudget;
  const selector = budget.spec?.selector;
  if (selector === undefined || next.spec === undefined) return next;
  if (isEmptySelector(selector))
    next.spec.selector = { matchExpressions: [structuredClone(whenEmpty) as LabelSelectorRequirement] };
  else if (isOnly(selector, becomesEmpty)) next.spec.selector = {};
  return next;
}

/** Conversion between v1beta1 and v1. An empty selector selects every pod in v1 and no pod in v1beta1. */
export const disruptionBudgetConversion: Conversion<PodDisruptionBudget, PodDisruptionBudget> = {
  toStorage(object, { vocabulary }) {
    const key = vocabulary.key('pdb', MARK);
    return exchanged(object, { key, operator: 'Exists' }, { key, operator: 'DoesNotExist' });
  },
  fromStorage(object, { vocabulary }) {
    const key = vocabulary.key('pdb', MARK);
    return exchanged(object, { key, operator: 'DoesNotExist' }, { key, operator: 'Exists' });
  },
};
