import { spend } from '../../base/budget/index.ts';
import { goQuote } from './go-quote.ts';
import { MOST_PRINTED, cutText, shortJson } from './short-text.ts';

/** Why one field is refused. `type` is the reason in `Status.details.causes`. */
export interface FieldError {
  readonly type:
    | 'FieldValueNotFound'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    | 'InternalError';
  /** Such as `spec.jobTemplate.spec.template.spec.containers[0].name`. */
  readonly field: string;
  /** The text of the cause, such as `Required value: must name a signer`. */
  readonly message: string;
}

/** Accumulated, never thrown. */
export type FieldErrors = readonly FieldError[];

/** Work units of one check of a list item or map entry, of one field, and of one error. */
const ITEM_WORK = 0.5;
const FIELD_WORK = 0.1;
/** More than an error costs, so that an object with thousands of errors is refused before all are worded. */
const ERROR_WORK = 3;
/** Characters of a message that cost one unit. */
const TEXT_RATE = 100;
/** Longest part of a map key in a path. */
const MOST_KEY = 512;

/**
 * Returns the path of a field: `a.b`. Charges the work of checking it: every validator builds the path of what it is
 * about to check, so validators need no charges of their own unless one check costs more than about a microsecond.
 */
export function child(path: string, ...names: readonly string[]): string {
  spend(FIELD_WORK);
  return names.reduce((at, name) => (at === '' ? name : `${at}.${name}`), path);
}

/** Returns the path of a list item: `a.b[0]`. Charges as `child`. */
export function index(path: string, at: number): string {
  spend(ITEM_WORK);
  return `${path}[${at}]`;
}

/** Returns the path of a map entry: `a.b[key]`. Charges as `child`. */
export function mapKey(path: string, key: string): string {
  spend(ITEM_WORK);
  return `${path}[${cutText(key, MOST_KEY)}]`;
}

/**
 * Formats a value as Go's validation prints it: strings quoted, and so is `null`, which is a string there; objects as
 * JSON. Values of more than `MOST_PRINTED` characters are cut off.
 */
export function printed(value: unknown): string {
  if (value === undefined || value === null) return '"null"';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'object') return shortJson(value);
  return String(value);
}

/** Quotes as Go does; of a long text only the beginning, with `...` behind the quotes. */
export const quoted = (text: string): string =>
  text.length <= MOST_PRINTED ? goQuote(text) : `${goQuote(text.slice(0, MOST_PRINTED))}...`;

/** Makes an error and charges for it. Every other constructor ends here. */
export function fieldError(type: FieldError['type'], field: string, message: string): FieldError {
  spend(ERROR_WORK + message.length / TEXT_RATE);
  return { type, field, message };
}

const withDetail = (text: string, detail: string): string => (detail === '' ? text : `${text}: ${detail}`);

export const requiredField = (field: string, detail = ''): FieldError =>
  fieldError('FieldValueRequired', field, withDetail('Required value', detail));
export const invalidField = (field: string, received: unknown, detail: string): FieldError =>
  fieldError('FieldValueInvalid', field, withDetail(`Invalid value: ${printed(received)}`, detail));
export const duplicateField = (field: string, received: unknown): FieldError =>
  fieldError('FieldValueDuplicate', field, `Duplicate value: ${printed(received)}`);
/** Lists values in the order given: upstream sorts those of a set, and RBAC, for one, has its own order. */
export const notSupportedField = (
  field: string,
  received: unknown,
  accepted: readonly string[],
): FieldError =>
  fieldError(
    'FieldValueNotSupported',
    field,
    withDetail(
      `Unsupported value: ${printed(received)}`,
      accepted.length === 0 ? '' : `supported values: ${accepted.map(goQuote).join(', ')}`,
    ),
  );
export const forbiddenField = (field: string, detail: string): FieldError =>
  fieldError('FieldValueForbidden', field, withDetail('Forbidden', detail));
export const notFoundField = (field: string, received: unknown): FieldError =>
  fieldError('FieldValueNotFound', field, `Not found: ${printed(received)}`);
export const tooLongField = (field: string, limit: number): FieldError =>
  fieldError('FieldValueTooLong', field, `Too long: must have at most ${limit} bytes`);
export const tooManyField = (field: string, received: number, limit: number): FieldError =>
  fieldError('FieldValueTooMany', field, `Too many: ${received}: must have at most ${limit} items`);
