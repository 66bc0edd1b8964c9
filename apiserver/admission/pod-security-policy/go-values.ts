import { type FieldError, fieldError } from '../../../api/status/index.ts';

/** Formats a slice as Go's `%#v` does: `[]int64{1, 2}`. */
export const inGo = (type: string, items: readonly string[]): string => `[]${type}{${items.join(', ')}}`;

/**
 * Creates an invalid-value error for a value that is neither string, number nor boolean. Upstream prints such
 * a value in Go syntax.
 */
export const invalidGo = (field: string, shown: string, detail: string): FieldError =>
  fieldError('FieldValueInvalid', field, `Invalid value: ${shown}: ${detail}`);

/** Text for an absent value in upstream's messages. */
export const NOTHING = 'null';
