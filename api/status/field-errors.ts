import { spend } from '../../base/budget/index.ts';
import { goQuote } from './go-quote.ts';
import { MOST_PRINTED, cutText, shortJson } from './short-text.ts';

/** Reason why one field is rejected. `type` is the reason in `Status.details.causes`. */
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
  /** Path of the field, such as `spec.jobTemplate.spec.template.spec.containers[0].name`. */
  readonly field: string;
  /** Message of the cause, such as `Required value: must name a signer`. */
  readonly message: string;
}

/** List of field errors. Validators accumulate and return errors and never throw them. */
export type FieldErrors = readonly FieldError[];

/** Work units for checking a list item or map entry, and for checking a field. */
const ITEM_WORK = 0.5;
const FIELD_WORK = 0.1;
/**
 * Work units for an error. They exceed its cost, so that an object with thousands of errors is rejected
 * before all errors are created.
 */
const ERROR_WORK = 3;
/** Number of characters of a message that cost one work unit. */
const TEXT_RATE = 100;
/** Maximum number of characters of a map key in a path. */
const MOST_KEY = 512;

/**
 * Returns the path of a field, `a.b`, and charges the work of checking the field. Every validator creates the
 * path of each field it checks, so it charges nothing else unless one check takes more than about a
 * microsecond.
 */
export function child(path: string, ...names: readonly string[]): string {
  spend(FIELD_WORK);
  return names.reduce((at, name) => (at === '' ? name : `${at}.${name}`), path);
}

/** Returns the path of a list item, `a.b[0]`, and charges the work of checking the item. */
export function index(path: string, at: number): string {
  spend(ITEM_WORK);
  return `${path}[${at}]`;
}

/** Returns the path of a map entry, `a.b[key]`, and charges the work of checking the entry. */
export function mapKey(path: string, key: string): string {
  spend(ITEM_WORK);
  return `${path}[${cutText(key, MOST_KEY)}]`;
}

/**
 * Formats a value like Go's validation: strings quoted, `null` as the quoted string that upstream prints,
 * objects as JSON. Values of more than `MOST_PRINTED` characters are shortened.
 */
export function printed(value: unknown): string {
  if (value === undefined || value === null) return '"null"';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'object') return shortJson(value);
  return String(value);
}

/** Quotes a string as Go does. A long string is shortened and followed by `...`. */
export const quoted = (text: string): string =>
  text.length <= MOST_PRINTED ? goQuote(text) : `${goQuote(text.slice(0, MOST_PRINTED))}...`;

/**
 * Returns an error and charges it to the work budget. All functions that return a field error call this
 * function.
 */
export function fieldError(type: FieldError['type'], field: string, message: string): FieldError {
  spend(ERROR_WORK + message.length / TEXT_RATE);
  return { type, field, message };
}

const withDetail = (text: string, detail: string): string => (detail === '' ? text : `${text}: ${detail}`);

/** Returns the error for a missing value. */
export const requiredField = (field: string, detail = ''): FieldError =>
  fieldError('FieldValueRequired', field, withDetail('Required value', detail));
/** Returns the error for an invalid value. */
export const invalidField = (field: string, received: unknown, detail: string): FieldError =>
  fieldError('FieldValueInvalid', field, withDetail(`Invalid value: ${printed(received)}`, detail));
/** Returns the error for a value that must be unique. */
export const duplicateField = (field: string, received: unknown): FieldError =>
  fieldError('FieldValueDuplicate', field, `Duplicate value: ${printed(received)}`);
/**
 * Returns the error for an unsupported value. It lists `accepted` in the given order, because upstream sorts
 * only some of these lists.
 */
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
/** Returns the error for a field that is not allowed. */
export const forbiddenField = (field: string, detail: string): FieldError =>
  fieldError('FieldValueForbidden', field, withDetail('Forbidden', detail));
/** Returns the error for a reference to an object that does not exist. */
export const notFoundField = (field: string, received: unknown): FieldError =>
  fieldError('FieldValueNotFound', field, `Not found: ${printed(received)}`);
/** Returns the error for a string or list that is too long. */
export const tooLongField = (field: string, limit: number): FieldError =>
  fieldError('FieldValueTooLong', field, `Too long: must have at most ${limit} bytes`);
/** Returns the error for a list with too many items. */
export const tooManyField = (field: string, received: number, limit: number): FieldError =>
  fieldError('FieldValueTooMany', field, `Too many: ${received}: must have at most ${limit} items`);
