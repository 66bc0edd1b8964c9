import { goSyntax } from '../managed/go-text.ts';
import { type FieldError, requiredField } from '../status/field-errors.ts';
import { goQuote } from '../status/go-quote.ts';
import { type Int64, writeJson } from '../schema/exact-json.ts';

/** What is wrong with a value, and how much of it was right: alternatives are compared by that. */
export interface Findings {
  readonly errors: Map<string, FieldError>;
  matches: number;
}

export const noFindings = (): Findings => ({ errors: new Map(), matches: 0 });

/** No more than these are told; a list of a million wrong items would fill the memory. */
const MAX_ERRORS = 1_000;

/** Adds a complaint unless the same is there. */
export function complain(findings: Findings, error: FieldError): void {
  const key = `${error.field}: ${error.message}`;
  if (findings.errors.size < MAX_ERRORS && !findings.errors.has(key)) findings.errors.set(key, error);
}

export function merge(findings: Findings, others: Findings): void {
  findings.matches += others.matches;
  for (const error of others.errors.values()) complain(findings, error);
}

/** A value as upstream's field errors print it: texts quoted, `null` too, containers as Go source. */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '"null"';
  return typeof value === 'object'
    ? goSyntax(value)
    : typeof value === 'string'
      ? goQuote(value)
      : String(value);
}

/** Upstream's complaints about no particular place. */
const NOWHERE = '<nil>';

export const invalidAt = (path: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field: path === '' ? NOWHERE : path,
  message: `Invalid value: ${shownValue(value)}: ${detail}`,
});

/** A value of another type or format than its schema's (release 1.24 tells it apart from a wrong value). */
export const typeInvalidAt = (path: string, value: unknown, detail: string): FieldError => ({
  ...invalidAt(path, value, detail),
  type: 'FieldValueTypeInvalid',
});

/** About alternatives, whose place upstream tells in the text alone. */
export const invalidNowhere = (within: string, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field: within === '' ? NOWHERE : within,
  message: `Invalid value: "": ${detail}`,
});

export const requiredAt = (path: string): FieldError => requiredField(path);

export const duplicateAt = (path: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field: path,
  message: `Duplicate value: ${shownValue(value)}`,
});

export const unsupportedAt = (path: string, value: unknown, accepted: readonly unknown[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field: path === '' ? NOWHERE : path,
  message: `Unsupported value: ${shownValue(value)}: supported values: ${accepted
    .map((each) => goQuote(typeof each === 'string' ? each : writeJson(each)))
    .join(', ')}`,
});

export const tooLongAt = (path: string, limit: Int64): FieldError => ({
  type: 'FieldValueTooLong',
  field: path === '' ? NOWHERE : path,
  message: `Too long: may not be longer than ${limit}`,
});

export const tooManyAt = (path: string, received: number, limit: Int64): FieldError => ({
  type: 'FieldValueTooMany',
  field: path === '' ? NOWHERE : path,
  message: `Too many: ${received}: must have at most ${limit} items`,
});
