import { spend } from '../../base/budget/index.ts';

/** Work units, as measured, for copying or visiting one key of an object, and one of a wide object. */
const KEY = 0.1;
const WIDE_KEY = 0.5;
/** Objects with more keys than this are hash tables in V8. */
const WIDE = 256;
const ITEM = 0.05;

/** Charges one visit of the keys of an object. */
export const chargeKeys = (count: number): void => spend(count * (count > WIDE ? WIDE_KEY : KEY));

/** Charges one visit of the items of a list. */
export const chargeItems = (count: number): void => spend(count * ITEM);

/** Work units, as measured, for writing and reading again one value, and one character of its text. */
const VALUE = 0.3;
const CHARACTER = 0.01;

/**
 * Charges writing a JSON value as text and reading it again, before that is done. YAML aliases let a value
 * share parts with itself, so its text may be much larger than the value. Throws as soon as the budget is
 * exceeded.
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
