import { type FieldError, fieldError, quoted } from '../../status/field-errors.ts';
import { MOST_PRINTED } from '../../status/short-text.ts';

// Values as Go's `%#v` prints them, for errors about values other than plain scalars.
/** Formats a string as Go's `%#v` does; undefined is formatted as an empty string. */
export const goString = (text: string | undefined): string => quoted(text ?? '');

/** Formats a list of strings. `type` is the Go type of the items, such as a named string type. */
export const goStrings = (list: readonly string[] | undefined | null, type = 'string'): string =>
  list ? `[]${type}{${listed(list, goString)}}` : `[]${type}(nil)`;

/** Formats the first items, up to about `MOST_PRINTED` characters, and `...` in place of further items. */
function listed<T>(items: readonly T[], textOf: (item: T) => string): string {
  let text = '';
  for (const [at, item] of items.entries()) {
    if (text.length > MOST_PRINTED) return `${text}, ...`;
    text += at === 0 ? textOf(item) : `, ${textOf(item)}`;
  }
  return text;
}

/** Formats a map of strings, sorted by key. */
export const goStringMap = (map: { readonly [key: string]: string } | undefined | null): string => {
  if (!map) return 'map[string]string(nil)';
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]string{${listed(entries, ([key, text]) => `${goString(key)}:${goString(text)}`)}}`;
};

/** Formats a struct such as `rbac.RoleRef{APIGroup:"…", Kind:"…"}`. The values must already be Go source. */
export const goStruct = (type: string, fields: { readonly [name: string]: string }): string =>
  `${type}{${Object.entries(fields)
    .map(([name, text]) => `${name}:${text}`)
    .join(', ')}}`;

/** Formats a pointer. Upstream prints the actual address; a constant keeps messages reproducible. */
export const goPointer = (type: string, held: unknown): string =>
  held === undefined || held === null ? `(*${type})(nil)` : `(*${type})(0xc000000000)`;

/** Returns `invalidField` for a value that is already formatted as Go source. */
export const invalidLiteral = (field: string, literal: string, detail: string): FieldError =>
  fieldError('FieldValueInvalid', field, `Invalid value: ${literal}${detail === '' ? '' : `: ${detail}`}`);

/** Returns `duplicateField` for a value that is already formatted as Go source. */
export const duplicateLiteral = (field: string, literal: string): FieldError =>
  fieldError('FieldValueDuplicate', field, `Duplicate value: ${literal}`);

/** Formats bytes as a Go byte slice. */
export const goBytes = (bytes: Uint8Array): string =>
  `[]byte{${listed([...bytes.subarray(0, MOST_PRINTED)], (byte) => `0x${byte.toString(16)}`)}}`;
