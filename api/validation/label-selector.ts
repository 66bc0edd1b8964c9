import type { DeepReadonly } from '../kinds/kind.ts';
import {
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  requiredField,
} from '../status/field-errors.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../types/meta-v1.ts';
import { checked, validateLabels } from './metadata.ts';
import { isLabelValue, isQualifiedName } from './names.ts';

type Selector = DeepReadonly<LabelSelector>;
type Requirement = DeepReadonly<LabelSelectorRequirement>;

/** True for a selector without requirements. */
export const isEmptySelector = (selector: Selector): boolean =>
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;

/** Checks the rules of `ValidateLabelSelector` in Kubernetes 1.24. */
export const validateLabelSelector = (selector: Selector | undefined, path: string): FieldErrors => [
  ...validateLabels(selector?.matchLabels, child(path, 'matchLabels')),
  ...(selector?.matchExpressions ?? []).flatMap((each, at) =>
    validateLabelRequirement(each, index(child(path, 'matchExpressions'), at)),
  ),
];

/** Checks the rules of `ValidateLabelSelectorRequirement` in Kubernetes 1.24. */
export function validateLabelRequirement(requirement: Requirement, path: string): FieldErrors {
  const { key = '', operator, values = [] } = requirement;
  return [
    ...validateOperator(operator, values.length, path),
    ...checked(child(path, 'key'), key, isQualifiedName),
  ];
}

function validateOperator(operator: string | undefined, count: number, path: string): FieldErrors {
  const values = child(path, 'values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [requiredField(values, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0
        ? []
        : [forbiddenField(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalidField(child(path, 'operator'), operator ?? '', 'not a valid selector operator')];
  }
}

/**
 * True if a selector can be evaluated: it has no errors and only values that are valid in labels. No other
 * rule reports invalid values.
 */
export const isReadable = (selector: Selector): boolean =>
  validateLabelSelector(selector, '').length === 0 &&
  (selector.matchExpressions ?? []).every(({ values = [] }) =>
    values.every((text) => isLabelValue(text).length === 0),
  );

/**
 * True if labels match a selector. An empty selector matches all labels; an unknown operator matches none.
 */
export function selects(selector: Selector, labels: { readonly [key: string]: string }): boolean {
  const valueOf = (key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const pairs = Object.entries(selector.matchLabels ?? {});
  return (
    pairs.every(([key, text]) => valueOf(key) === text) &&
    (selector.matchExpressions ?? []).every((each) => satisfies(each, valueOf(each.key)))
  );
}

function satisfies({ operator, values = [] }: Requirement, text: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return text !== undefined && values.includes(text);
    case 'NotIn':
      return text === undefined || !values.includes(text);
    case 'Exists':
      return text !== undefined;
    case 'DoesNotExist':
      return text === undefined;
    default:
      return false;
  }
}

/** Formats a selector for a Table: requirements sorted by key, or `<none>` for an empty selector. */
export function selectorText(selector: Selector | undefined): string {
  const pairs = Object.entries(selector?.matchLabels ?? {}).map(([key, text]) => ({
    key,
    text: `${key}=${text}`,
  }));
  const rest = (selector?.matchExpressions ?? []).map((each) => ({
    key: each.key,
    text: requirementText(each),
  }));
  const parts = [...pairs, ...rest].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return parts.length === 0 ? '<none>' : parts.map(({ text }) => text).join(',');
}

function requirementText({ key, operator, values = [] }: Requirement): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${[...values].sort().join(',')})`;
}
