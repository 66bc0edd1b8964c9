import { spend } from '../../base/budget/index.ts';
import { goSyntax } from '../managed/go-text.ts';
import { type FieldError, quoted } from '../status/field-errors.ts';
import { goQuote } from '../status/go-quote.ts';
import { MOST_PRINTED, beginning, cutText } from '../status/short-text.ts';
import { type Int64, writeJson } from '../schema/exact-json.ts';

/**
 * Errors of a value, and the number of rules that the value meets. Alternatives are compared by this number.
 */
export interface Findings {
  errors: Map<string, FieldError>;
  matches: number;
}

/** Empty map that all findings without errors share; it is never changed. */
const NONE = new Map<string, FieldError>();

/** Returns new findings without errors. */
export const noFindings = (): Findings => ({ errors: NONE, matches: 0 });

/**
 * Maximum number of errors per value. A Status contains fewer, but the errors of rejected alternatives are
 * dropped later.
 */
const MAX_ERRORS = 1_000;

/** Adds an error unless the findings contain an equal one. */
export function complain(findings: Findings, error: FieldError): void {
  if (findings.errors.size >= MAX_ERRORS) return;
  const key = `${error.field}: ${error.message}`;
  if (findings.errors === NONE) findings.errors = new Map();
  if (!findings.errors.has(key)) findings.errors.set(key, error);
}

/** Adds the errors and matches of other findings. */
export function merge(findings: Findings, others: Findings): void {
  findings.matches += others.matches;
  for (const error of others.errors.values()) complain(findings, error);
}

/**
 * Work units for an error. They are fewer than elsewhere, because even a valid value causes errors in the
 * alternatives that it does not match.
 */
const ERROR_WORK = 2;

function problem(type: FieldError['type'], field: string, message: string): FieldError {
  spend(ERROR_WORK + message.length / 100);
  return { type, field, message };
}

/**
 * Formats a value as upstream's field errors print it: strings and `null` quoted, containers as Go source.
 * Long values are shortened.
 */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '"null"';
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'object'
    ? cutText(goSyntax(beginning(value, { left: MOST_PRINTED })))
    : String(value as number);
}

/** Field of an error at the root, as upstream writes it. */
const NOWHERE = '<nil>';

const fieldOf = (path: string): string => (path === '' ? NOWHERE : path);

/** Returns the error for an invalid value. */
export const invalidAt = (path: string, value: unknown, detail: string): FieldError =>
  problem('FieldValueInvalid', fieldOf(path), `Invalid value: ${shownValue(value)}: ${detail}`);

/**
 * Returns the error for a value of the wrong type or format. Release 1.24 distinguishes it from the error for
 * an invalid value.
 */
export const typeInvalidAt = (path: string, value: unknown, detail: string): FieldError =>
  problem('FieldValueTypeInvalid', fieldOf(path), `Invalid value: ${shownValue(value)}: ${detail}`);

/** Returns the error about alternatives. Upstream states their position only in the message. */
export const invalidNowhere = (within: string, detail: string): FieldError =>
  problem('FieldValueInvalid', fieldOf(within), `Invalid value: "": ${detail}`);

/** Returns the error for a missing value. */
export const requiredAt = (path: string): FieldError => problem('FieldValueRequired', path, 'Required value');

/** Returns the error for a repeated list item. */
export const duplicateAt = (path: string, value: unknown): FieldError =>
  problem('FieldValueDuplicate', path, `Duplicate value: ${shownValue(value)}`);

/** Returns the error for a value that is not in `accepted`. */
export const unsupportedAt = (path: string, value: unknown, accepted: readonly unknown[]): FieldError =>
  problem(
    'FieldValueNotSupported',
    fieldOf(path),
    `Unsupported value: ${shownValue(value)}: supported values: ${shownList(accepted)}`,
  );

/** Formats accepted values, up to about `MOST_PRINTED` characters. */
function shownList(accepted: readonly unknown[]): string {
  let text = '';
  for (const [at, each] of accepted.entries()) {
    if (text.length > MOST_PRINTED) return `${text}, ...`;
    text += `${at === 0 ? '' : ', '}${goQuote(cutText(typeof each === 'string' ? each : writeJson(each)))}`;
  }
  return text;
}

/** Returns the error for a string that is too long. */
export const tooLongAt = (path: string, limit: Int64): FieldError =>
  problem('FieldValueTooLong', fieldOf(path), `Too long: may not be longer than ${limit}`);

/** Returns the error for a list with too many items or an object with too many properties. */
export const tooManyAt = (path: string, received: number, limit: Int64): FieldError =>
  problem('FieldValueTooMany', fieldOf(path), `Too many: ${received}: must have at most ${limit} items`);
