import { type Field, fieldsOf, itemsOf, textOf } from '../plan/fields.ts';
import { isAnyOf } from '../plan/patterns.ts';
import { canonical } from './difference.ts';
import { parsePath, valuesAt } from './value-path.ts';

/** Condition of a user's rule on one fact. */
export interface Condition {
  isMet(subject: unknown): boolean;
}

/** Comparison of the values at a path with an expected value. */
type Comparison = (values: readonly unknown[], expected: unknown) => boolean;

const some =
  (compare: (value: unknown, expected: unknown) => boolean): Comparison =>
  (values, expected) =>
    values.some((value) => compare(value, expected));

const compareOrdered =
  (isFine: (order: number) => boolean) =>
  (value: unknown, expected: unknown): boolean => {
    if (typeof value === 'number' && typeof expected === 'number') return isFine(value - expected);
    if (typeof value === 'string' && typeof expected === 'string')
      return isFine(value < expected ? -1 : Number(value > expected));
    return false;
  };

/**
 * Comparisons by name. A comparison holds if one of the values at the path meets it, except for `absent` and
 * `differs`.
 */
const comparisons: Readonly<Record<string, Comparison>> = {
  exists: (values) => values.length > 0,
  absent: (values) => values.length === 0,
  equals: some((value, expected) => canonical(value) === canonical(expected)),
  differs: (values, expected) => values.every((value) => canonical(value) !== canonical(expected)),
  like: some((value, expected) => typeof value === 'string' && isAnyOf([String(expected)], value)),
  less: some(compareOrdered((order) => order < 0)),
  more: some(compareOrdered((order) => order > 0)),
  contains: some((value, expected) =>
    Array.isArray(value)
      ? value.some((item) => canonical(item) === canonical(expected))
      : typeof value === 'string' && value.includes(String(expected)),
  ),
};

/** Comparisons that take no expected value. */
const UNARY = new Set(['exists', 'absent']);

/** Parses a list of conditions; undefined if the field is missing. */
export const conditionsOf = (field: Field | undefined): readonly Condition[] | undefined =>
  field === undefined ? undefined : itemsOf(field, field.path).map(conditionOf);

function conditionOf(item: Field): Condition {
  const fields = fieldsOf(item.path, item.value, ['path', 'is', 'value', 'valueOf']);
  const path = pathOf(fields.take('path') ?? item);
  const is = fields.take('is');
  const name = is?.value ?? 'equals';
  const compare =
    typeof name === 'string' && Object.hasOwn(comparisons, name) ? comparisons[name] : undefined;
  if (compare === undefined) throw (is ?? item).wrong(Object.keys(comparisons).join(', '));
  const value = fields.take('value');
  const other = fields.take('valueOf');
  fields.end();
  const given = [value, other].filter((each) => each !== undefined).length;
  if (given !== (UNARY.has(String(name)) ? 0 : 1))
    throw item.wrong(UNARY.has(String(name)) ? `no value for ${String(name)}` : 'either value or valueOf');
  const from = other === undefined ? undefined : pathOf(other);
  return {
    isMet: (subject) =>
      compare(valuesAt(subject, path), from === undefined ? value?.value : valuesAt(subject, from)[0]),
  };
}

function pathOf(field: Field): NonNullable<ReturnType<typeof parsePath>> {
  const steps = typeof field.value === 'string' ? parsePath(textOf(field)) : undefined;
  if (steps === undefined) throw field.wrong('a path such as $.object.metadata.labels.app');
  return steps;
}

/** True if a fact meets all conditions. */
export const doHold = (conditions: readonly Condition[], subject: unknown): boolean =>
  conditions.every((each) => each.isMet(subject));

/** Returns the values at a path as a string that is equal for equal values. */
export const groupOf = (path: string, subject: unknown): string =>
  canonical(valuesAt(subject, parsePath(path) ?? []));
