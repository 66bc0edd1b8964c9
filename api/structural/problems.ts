import { spend } from '../../base/budget/index.ts';
import { goSyntax } from '../managed/go-text.ts';
import { type FieldError, quoted } from '../status/field-errors.ts';
import { goQuote } from '../status/go-quote.ts';
import { MOST_PRINTED, beginning, cutText } from '../status/short-text.ts';
import { type Int64, writeJson } from '../schema/exact-json.ts';

/** What is wrong with a value, and how much of it was right: alternatives are compared by that. */
export interface Findings {
  errors: Map<string, FieldError>;
  matches: number;
}

/** Shared by all findings without errors, which are nearly all; never changed. */
const NONE = new Map<string, FieldError>();

export const noFindings = (): Findings => ({ errors: NONE, matches: 0 });

/** Most errors kept of one value. More than a Status shows, as those of rejected alternatives are dropped. */
const MAX_ERRORS = 1_000;

/** Adds an error unless the same one is there. */
export function complain(findings: Findings, error: FieldError): void {
  if (findings.errors.size >= MAX_ERRORS) return;
  const key = `${error.field}: ${error.message}`;
  if (findings.errors === NONE) findings.errors = new Map();
  if (!findings.errors.has(key)) findings.errors.set(key, error);
}

export function merge(findings: Findings, others: Findings): void {
  findings.matches += others.matches;
  for (const error of others.errors.values()) complain(findings, error);
}

/** Work units of one error. Fewer than of other errors: alternatives of a valid value make errors that are dropped. */
const ERROR_WORK = 2;

function problem(type: FieldError['type'], field: string, message: string): FieldError {
  spend(ERROR_WORK + message.length / 100);
  return { type, field, message };
}

/**
 * Formats a value as upstream's field errors print it: texts quoted, `null` too, containers as Go source. Long ones are
 * cut off.
 */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '"null"';
  if (typeof value === 'string') return quoted(value);
  return typeof value === 'object'
    ? cutText(goSyntax(beginning(value, { left: MOST_PRINTED })))
    : String(value as number);
}

/** Upstream's field of an error about no particular place. */
const NOWHERE = '<nil>';

const fieldOf = (path: string): string => (path === '' ? NOWHERE : path);

export const invalidAt = (path: string, value: unknown, detail: string): FieldError =>
  problem('FieldValueInvalid', fieldOf(path), `Invalid value: ${shownValue(value)}: ${detail}`);

/** A value of another type or format than its schema's (release 1.24 distinguishes it from a wrong value). */
export const typeInvalidAt = (path: string, value: unknown, detail: string): FieldError =>
  problem('FieldValueTypeInvalid', fieldOf(path), `Invalid value: ${shownValue(value)}: ${detail}`);

/** An error about alternatives, whose place upstream names in the text alone. */
export const invalidNowhere = (within: string, detail: string): FieldError =>
  problem('FieldValueInvalid', fieldOf(within), `Invalid value: "": ${detail}`);

export const requiredAt = (path: string): FieldError => problem('FieldValueRequired', path, 'Required value');

export const duplicateAt = (path: string, value: unknown): FieldError =>
  problem('FieldValueDuplicate', path, `Duplicate value: ${shownValue(value)}`);

export const unsupportedAt = (path: string, value: unknown, accepted: readonly unknown[]): FieldError =>
  problem(
    'FieldValueNotSupported',
    fieldOf(path),
    `Unsupported value: ${shownValue(value)}: supported values: ${shownList(accepted)}`,
  );

/** Accepted values up to about `MOST_PRINTED` characters. */
function shownList(accepted: readonly unknown[]): string {
  let text = '';
  for (const [at, each] of accepted.entries()) {
    if (text.length > MOST_PRINTED) return `${text}, ...`;
    text += `${at === 0 ? '' : ', '}${goQuote(cutText(typeof each === 'string' ? each : writeJson(each)))}`;
  }
  return text;
}

export const tooLongAt = (path: string, limit: Int64): FieldError =>
  problem('FieldValueTooLong', fieldOf(path), `Too long: may not be longer than ${limit}`);

export const tooManyAt = (path: string, received: number, limit: Int64): FieldError =>
  problem('FieldValueTooMany', fieldOf(path), `Too many: ${received}: must have at most ${limit} items`);
