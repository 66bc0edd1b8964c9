import { spend } from '../../base/budget/index.ts';
import { goFloat, goNumber } from '../schema/go-text.ts';
import { isObject } from '../schema/own.ts';
import { PatchError } from './patch-error.ts';
import { WrittenFloat } from './written-float.ts';

// The functions of this file return the errors of strategic merge patches, in upstream's words.
/** Returns the error for a `$deleteFromPrimitiveList` that is not a list. */
export const badPrimitiveList = (): PatchError =>
  new PatchError('malformed', 'invalid patch format of primitive list');

/** Returns the error for an invalid `$retainKeys`. */
export const badRetainKeys = (): PatchError =>
  new PatchError('malformed', 'invalid patch format of retainKeys');

/** Returns the error for a `$setElementOrder` that is not a list. */
export const badElementOrder = (): PatchError =>
  new PatchError('malformed', 'invalid patch format of setElementOrder list');

/** Returns the error for a list of lists. */
export const listOfLists = (): PatchError =>
  new PatchError('unprocessable', 'lists of lists are not supported');

/** Returns the error for an item without its merge key. */
export const noMergeKey = (item: unknown, key: string): PatchError =>
  unmergeable(`map: ${goPrint(item)} does not contain declared merge key: ${key}`);

/** Returns the error for an unknown `$patch` directive. */
export const badDirective = (directive: unknown, patch: unknown): PatchError =>
  unmergeable(`unknown patch type: ${goPrint(directive)} in map: ${goPrint(patch)}`);

/** Returns the error for a value that should be a list or a map. */
export const unexpectedType = (expected: 'list' | 'map', actual: unknown): PatchError =>
  unmergeable(
    `expected a ${expected === 'list' ? '[]interface {}' : 'map[string]interface {}'}, but received a ${goTypeOf(actual)}`,
  );

/** Returns the error for lists whose items have different types. */
export const mixedTypes = (...lists: readonly (readonly unknown[])[]): PatchError =>
  unmergeable(`list element types are not identical: ${goPrint(lists)}`);

/** Returns an error with the code `unmergeable`. A long message is shortened. */
export const unmergeable = (message: string): PatchError =>
  new PatchError('unmergeable', message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message);

/** Maximum number of characters of a message. Upstream prints lists of any length. */
const MAX_MESSAGE = 10_000;

/** Returns the Go type of a JSON value. */
export function goTypeOf(value: unknown): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return value instanceof WrittenFloat ? 'float64' : 'map[string]interface {}';
  }
}

/** Work units for a value that is printed, and for each character of a string. */
const PRINTED = 0.5;
const PRINTED_CHARACTER = 0.01;

/** Formats a JSON value like Go's `%v`: `map[a:1 b:[x y]]`. */
export function goPrint(value: unknown): string {
  spend(PRINTED + (typeof value === 'string' ? value.length * PRINTED_CHARACTER : 0));
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  if (value instanceof WrittenFloat) return goFloat(value.value);
  if (typeof value === 'number') return goNumber(value);
  if (!isObject(value)) return String(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goPrint(value[key])}`);
  return `map[${entries.join(' ')}]`;
}
