import { spend } from '../../base/budget/index.ts';

/** Units of work, as measured, for a key of an object that is copied or looked through, and for one of a hash table. */
const KEY = 0.1;
const WIDE_KEY = 0.5;
/** Objects with more keys than this are hash tables to the engine. */
const WIDE = 256;
const ITEM = 0.05;

/** Charges one pass over the keys of an object. */
export const chargeKeys = (count: number): void => spend(count * (count > WIDE ? WIDE_KEY : KEY));

/** Charges one pass over the items of a list. */
export const chargeItems = (count: number): void => spend(count * ITEM);

/** Units of work, as measured, to write and read again a value and a character of its text. */
const VALUE = 0.3;
const CHARACTER = 0.01;

/**
 * Charges what writing a JSON value as text and reading it again costs, before that is done: a value that shares parts
 * with itself, as aliases of YAML make one, is much larger as text. Ends early when the budget does.
 */
export function chargeTree(value: unknown): void {
  if (typeof value === 'string') spend(VALUE + value.length * CHARACTER);
  else if (typeof value !== 'object' || value === null) spend(VALUE);
  else if (Array.isArray(value)) {
    spend(VALUE);
    for (const item of value) chargeTree(item);
  } else {
    for (const key of Object.keys(value)) {
      spend(VALUE + key.length * CHARACTER);
      chargeTree((value as { readonly [key: string]: unknown })[key]);
    }
  }
}
