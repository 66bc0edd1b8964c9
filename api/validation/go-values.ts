import { type FieldError, fieldError, quoted } from '../status/field-errors.ts';
import { MOST_PRINTED } from '../status/short-text.ts';

/** Values as Go's `%#v` prints them: what clients of release 1.24 read where a refused value is no plain scalar. */
export const goString = (text: string | undefined): string => quoted(text ?? '');

/** A list of strings, or of a `type` made from strings. */
export const goStrings = (list: readonly string[] | undefined | null, type = 'string'): string =>
  list ? `[]${type}{${listed(list, goString)}}` : `[]${type}(nil)`;

/** The first items, up to about `MOST_PRINTED` characters, and `...` for the others. */
function listed<T>(items: readonly T[], textOf: (item: T) => string): string {
  let text = '';
  for (const [at, item] of items.entries()) {
    if (text.length > MOST_PRINTED) return `${text}, ...`;
    text += at === 0 ? textOf(item) : `, ${textOf(item)}`;
  }
  return text;
}

export const goStringMap = (map: { readonly [key: string]: string } | undefined | null): string => {
  if (!map) return 'map[string]string(nil)';
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]string{${listed(entries, ([key, text]) => `${goString(key)}:${goString(text)}`)}}`;
};

/** A struct: `rbac.RoleRef{APIGroup:"…", Kind:"…"}`. Values are Go source already. */
export const goStruct = (type: string, fields: { readonly [name: string]: string }): string =>
  `${type}{${Object.entries(fields)
    .map(([name, text]) => `${name}:${text}`)
    .join(', ')}}`;

/** A pointer is an address upstream; here always the same one. */
export const goPointer = (type: string, held: unknown): string =>
  held === undefined || held === null ? `(*${type})(nil)` : `(*${type})(0xc000000000)`;

/** Makes an `invalidField` for a value that is Go source text already. */
export const invalidLiteral = (field: string, literal: string, detail: string): FieldError =>
  fieldError('FieldValueInvalid', field, `Invalid value: ${literal}${detail === '' ? '' : `: ${detail}`}`);

/** Makes a `duplicateField` for such a value. */
export const duplicateLiteral = (field: string, literal: string): FieldError =>
  fieldError('FieldValueDuplicate', field, `Duplicate value: ${literal}`);

export const goBytes = (bytes: Uint8Array): string =>
  `[]byte{${listed([...bytes.subarray(0, MOST_PRINTED)], (byte) => `0x${byte.toString(16)}`)}}`;
