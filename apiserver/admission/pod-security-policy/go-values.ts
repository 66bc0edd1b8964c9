import { type FieldError, fieldError } from '../../../api/status/index.ts';

/** A list as Go prints it with its type: `[]int64{1, 2}`. */
export const inGo = (type: string, items: readonly string[]): string => `[]${type}{${items.join(', ')}}`;

/** A refused value that is neither a text, a number nor a truth value: upstream prints it as Go writes it. */
export const invalidGo = (field: string, shown: string, detail: string): FieldError =>
  fieldError('FieldValueInvalid', field, `Invalid value: ${shown}: ${detail}`);

/** A value that is not there, as upstream shows it. */
export const NOTHING = 'null';
