import type { FieldError } from '../status/field-errors.ts';
import { goQuote } from '../status/go-quote.ts';

/** Values as Go's `%#v` prints them: what clients of release 1.24 read where a refused value is no plain scalar. */
export const goString = (text: string | undefined): string => goQuote(text ?? '');

/** A list of strings, or of a `type` made from strings. */
export const goStrings = (list: readonly string[] | undefined | null, type = 'string'): string =>
  list ? `[]${type}{${list.map(goString).join(', ')}}` : `[]${type}(nil)`;

export const goStringMap = (map: { readonly [key: string]: string } | undefined | null): string => {
  if (!map) return 'map[string]string(nil)';
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]string{${entries.map(([key, text]) => `${goString(key)}:${goString(text)}`).join(', ')}}`;
};

/** A struct: `rbac.RoleRef{APIGroup:"…", Kind:"…"}`. Values are Go source already. */
export const goStruct = (type: string, fields: { readonly [name: string]: string }): string =>
  `${type}{${Object.entries(fields)
    .map(([name, text]) => `${name}:${text}`)
    .join(', ')}}`;

/** A pointer is an address upstream; here always the same one. */
export const goPointer = (type: string, held: unknown): string =>
  held === undefined || held === null ? `(*${type})(nil)` : `(*${type})(0xc000000000)`;

/** `invalidField` for a value that is Go source text already. */
export const invalidLiteral = (field: string, literal: string, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${literal}${detail === '' ? '' : `: ${detail}`}`,
});

/** `duplicateField` for such a value. */
export const duplicateLiteral = (field: string, literal: string): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  message: `Duplicate value: ${literal}`,
});

export const goBytes = (bytes: Uint8Array): string =>
  `[]byte{${Array.from(bytes, (byte) => `0x${byte.toString(16)}`).join(', ')}}`;
