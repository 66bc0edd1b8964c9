import { spend } from '../../base/budget/index.ts';

/** Measured work units for copying or visiting one key of an object, and one key of a wide object. */
const KEY = 0.1;
const WIDE_KEY = 0.5;
/** Maximum number of keys of an object that V8 does not store in a hash table. */
const WIDE = 256;
const ITEM = 0.05;

/** Charges one visit of the keys of an object to the work budget. */
export const chargeKeys = (count: number): void => spend(count * (count > WIDE ? WIDE_KEY : KEY));

/** Charges one visit of the items of a list to the work budget. */
export const chargeItems = (count: number): void => spend(count * ITEM);

/**
 * Measured work units for writing one value as JSON and reading it again, and for each character of a string.
 */
const VALUE = 0.3;
const CHARACTER = 0.01;

/**
 * Charges writing a value as JSON and reading it again, before this work is done. YAML aliases let a value
 * contain the same part many times, so its JSON may be much larger than the value. Throws as soon as the work
 * budget is exceeded.
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
