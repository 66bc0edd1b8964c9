import { CodedError } from '../../base/errors/index.ts';
import { goString, goStrings } from '../validation/go-text/values.ts';
import { isLabelValue, isQualifiedName } from '../validation/names.ts';

/** Error for an invalid label selector. The messages are those of upstream. */
export class LabelSelectorError extends CodedError<'label-selector'> {
  constructor(message: string) {
    super('label-selector', message);
  }
}

/** Operator of a requirement, as it is written in a selector string. */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

/** Labels of an object. */
export type Labels = { readonly [key: string]: string };

/** One condition on the label `key`. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** Checks and returns a requirement, like `NewRequirement` of release 1.24. Throws `LabelSelectorError`. */
export function defineRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): LabelRequirement {
  const messages = [
    ...keyMessages(key, 'key'),
    ...countMessages(operator, values),
    ...values.flatMap((value, index) =>
      joined(isLabelValue(value), `values[${index}][${key}]: Invalid value: ${goString(value)}: `),
    ),
  ];
  const unique = [...new Set(messages)];
  if (unique.length > 0) {
    throw new LabelSelectorError(unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`);
  }
  return { key, operator, values };
}

/**
 * Returns complaints about a label key. `path` is the position of the key; upstream writes `<nil>` if it has
 * none.
 */
export const keyMessages = (key: string, path: string): string[] =>
  joined(isQualifiedName(key), `${path}: Invalid value: ${goString(key)}: `);

const joined = (messages: readonly string[], prefix: string): string[] =>
  messages.length === 0 ? [] : [prefix + messages.join('; ')];

function countMessages(operator: LabelOperator, values: readonly string[]): string[] {
  const refuse = (message: string): string[] => [
    `values: Invalid value: ${goStrings(values.length > 0 ? values : undefined)}: ${message}`,
  ];
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0 ? [] : refuse("for 'in', 'notin' operators, values set can't be empty");
    case '=':
    case '==':
    case '!=':
      return values.length === 1 ? [] : refuse('exact-match compatibility requires one single value');
    case 'exists':
    case '!':
      return values.length === 0 ? [] : refuse('values set must be empty for exists and does not exist');
    case 'gt':
    case 'lt':
      return [
        ...(values.length === 1 ? [] : refuse("for 'Gt', 'Lt' operators, exactly one value is required")),
        ...values.flatMap((value, index) =>
          toInt64(value) === undefined
            ? [
                `values[${index}]: Invalid value: ${goString(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
              ]
            : [],
        ),
      ];
  }
}

/** True if the labels meet the requirement. */
export function matchesRequirement({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const actual = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return actual !== undefined && values.includes(actual);
    case 'notin':
    case '!=':
      return actual === undefined || !values.includes(actual);
    case 'exists':
      return actual !== undefined;
    case '!':
      return actual === undefined;
    case 'gt':
    case 'lt':
      return actual !== undefined && compares(operator, toInt64(actual), toInt64(values[0] ?? ''));
  }
}

function compares(operator: 'gt' | 'lt', left: bigint | undefined, right: bigint | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return operator === 'gt' ? left > right : left < right;
}

/** Parses a 64-bit integer like Go's `strconv.ParseInt` in base ten; undefined if the string is none. */
function toInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text) || text.length > 64) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Formats a requirement as canonical string: `a in (1,2)`, `!b`, `c`. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${[...values].sort(byBytes).join(',')})`;
    case 'gt':
      return `${key}>${values.join(',')}`;
    case 'lt':
      return `${key}<${values.join(',')}`;
    case '=':
    case '==':
    case '!=':
      return `${key}${operator}${values.join(',')}`;
  }
}

/** Compares label keys or values. They are ASCII, so their UTF-16 order equals their byte order. */
const byBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
