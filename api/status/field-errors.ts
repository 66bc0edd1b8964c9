import { goQuote } from './go-quote.ts';
import { writeJson } from '../schema/exact-json.ts';

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

/** `a.b[0]`, `a.b[key]` as the real system writes paths. */
export const child = (path: string, ...names: readonly string[]): string =>
  names.reduce((at, name) => (at === '' ? name : `${at}.${name}`), path);
export const index = (path: string, at: number): string => `${path}[${at}]`;
export const mapKey = (path: string, key: string): string => `${path}[${key}]`;

/** A value as Go's validation prints it: strings quoted, and so is `null`, which is a string there; objects as JSON. */
export function printed(value: unknown): string {
  if (value === undefined || value === null) return '"null"';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'object') return writeJson(value);
  return String(value);
}

const withDetail = (text: string, detail: string): string => (detail === '' ? text : `${text}: ${detail}`);

export const requiredField = (field: string, detail = ''): FieldError => ({
  type: 'FieldValueRequired',
  field,
  message: withDetail('Required value', detail),
});
export const invalidField = (field: string, received: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  message: withDetail(`Invalid value: ${printed(received)}`, detail),
});
export const duplicateField = (field: string, received: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  message: `Duplicate value: ${printed(received)}`,
});
/** Values are listed in the order given: upstream sorts those of a set, and RBAC, for one, has its own order. */
export const notSupportedField = (
  field: string,
  received: unknown,
  accepted: readonly string[],
): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  message: withDetail(
    `Unsupported value: ${printed(received)}`,
    accepted.length === 0 ? '' : `supported values: ${accepted.map(goQuote).join(', ')}`,
  ),
});
export const forbiddenField = (field: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  message: withDetail('Forbidden', detail),
});
export const notFoundField = (field: string, received: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  field,
  message: `Not found: ${printed(received)}`,
});
export const tooLongField = (field: string, limit: number): FieldError => ({
  type: 'FieldValueTooLong',
  field,
  message: `Too long: must have at most ${limit} bytes`,
});
export const tooManyField = (field: string, received: number, limit: number): FieldError => ({
  type: 'FieldValueTooMany',
  field,
  message: `Too many: ${received}: must have at most ${limit} items`,
});
