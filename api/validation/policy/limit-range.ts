import { type Quantity, compareQuantities, quantityMilliValue, quantityOf } from '../../quantity/quantity.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  forbiddenField,
  index,
  invalidField,
  mapKey,
  requiredField,
} from '../../status/field-errors.ts';
import type { LimitRange, LimitRangeItem } from '../../types/core-v1.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { checked } from '../metadata.ts';
import { isQualifiedName } from '../names.ts';
import { quantityIn, validateContainerResourceName, validateResourceName } from '../resources.ts';

type Item = DeepReadonly<LimitRangeItem>;
const AMOUNTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type AmountField = (typeof AMOUNTS)[number];
const TYPES = new Set(['Container', 'PersistentVolumeClaim', 'Pod']);
const ONE = quantityOf(1);

/** Checks the rules of `ValidateLimitRange` in Kubernetes 1.24. */
export function validateLimitRange(range: DeepReadonly<LimitRange>): FieldErrors {
  const seen = new Set<string>();
  return (range.spec?.limits ?? []).flatMap((item, at) => {
    const path = index('spec.limits', at);
    const type = item.type ?? '';
    const errors: FieldError[] = [...validateType(type, child(path, 'type'))];
    if (seen.has(type)) errors.push(duplicateField(child(path, 'type'), type));
    seen.add(type);
    return [...errors, ...validateNames(item, path), ...validateAmounts(item, path)];
  });
}

function validateType(type: string, field: string): FieldErrors {
  const errors = checked(field, type, isQualifiedName);
  if (errors.length > 0 || type.includes('/') || TYPES.has(type)) return errors;
  return [invalidField(field, type, 'must be a standard limit type or fully qualified')];
}

function validateNames(item: Item, path: string): FieldErrors {
  const ofContainers = item.type === 'Pod' || item.type === 'Container';
  const check = ofContainers ? validateContainerResourceName : validateResourceName;
  const errors: FieldError[] = AMOUNTS.flatMap((field) => {
    const at = child(path, field);
    const names = Object.keys(item[field] ?? {});
    if (item.type === 'Pod' && (field === 'default' || field === 'defaultRequest')) {
      return names.length === 0 ? [] : [forbiddenField(at, "may not be specified when `type` is 'Pod'")];
    }
    return names.flatMap((name) => check(name, mapKey(at, name)));
  });
  const bounded = item.min?.['storage'] !== undefined || item.max?.['storage'] !== undefined;
  if (item.type === 'PersistentVolumeClaim' && !bounded) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided';
    errors.push(requiredField(child(path, 'limits'), detail));
  }
  return errors;
}

function validateAmounts(item: Item, path: string): FieldErrors {
  const names = new Set(AMOUNTS.flatMap((field) => Object.keys(item[field] ?? {})));
  return [...names].flatMap((name) => [
    ...validateOrder(item, name, path),
    ...validateRatio(item, name, mapKey(child(path, 'maxLimitRequestRatio'), name)),
  ]);
}

const textOf = (item: Item, field: AmountField, name: string): string | undefined => {
  const amounts = item[field];
  return amounts && Object.hasOwn(amounts, name) ? amounts[name] : undefined;
};

/**
 * Pairs of amounts to compare. Each entry holds the smaller field, the larger field, the field in the error
 * path, the field whose value is printed, and upstream's words for the two amounts.
 */
const ORDERS: readonly [AmountField, AmountField, AmountField, AmountField, string, string][] = [
  ['min', 'max', 'min', 'min', 'min value', 'max value'],
  ['min', 'defaultRequest', 'defaultRequest', 'defaultRequest', 'min value', 'default request value'],
  ['defaultRequest', 'max', 'defaultRequest', 'defaultRequest', 'default request value', 'max value'],
  [
    'defaultRequest',
    'default',
    'defaultRequest',
    'defaultRequest',
    'default request value',
    'default limit value',
  ],
  ['min', 'default', 'default', 'min', 'min value', 'default value'],
  ['default', 'max', 'default', 'max', 'default value', 'max value'],
];

/** Validates min ≤ defaultRequest ≤ default ≤ max for the amounts that are present. */
const validateOrder = (item: Item, name: string, path: string): FieldErrors =>
  ORDERS.flatMap(([small, large, fault, shown, smallWords, largeWords]) => {
    const [low, high] = [textOf(item, small, name), textOf(item, large, name)];
    const [lowAmount, highAmount] = [quantityIn(low), quantityIn(high)];
    if (!lowAmount || !highAmount || compareQuantities(lowAmount, highAmount) <= 0) return [];
    const detail = `${smallWords} ${low} is greater than ${largeWords} ${high}`;
    return [
      invalidTyped(mapKey(child(path, fault), name), 'resource.Quantity', textOf(item, shown, name), detail),
    ];
  });

function validateRatio(item: Item, name: string, field: string): FieldErrors {
  const text = textOf(item, 'maxLimitRequestRatio', name);
  const ratio = quantityIn(text);
  if (ratio === undefined) return [];
  const errors: FieldError[] = [];
  if (compareQuantities(ratio, ONE) < 0)
    errors.push(invalidTyped(field, 'resource.Quantity', text, `ratio ${text} is less than 1`));
  const [min, max] = [quantityIn(textOf(item, 'min', name)), quantityIn(textOf(item, 'max', name))];
  if (min === undefined || max === undefined) return errors;
  const limit = milli(max) / milli(min);
  if (milli(ratio) / 1000 > limit) {
    const detail = `ratio ${text} is greater than max/min = ${limit.toFixed(6)}`;
    errors.push(invalidTyped(field, 'resource.Quantity', text, detail));
  }
  return errors;
}

const milli = (amount: Quantity): number => Number(quantityMilliValue(amount));
