import { parseJsonQuietly } from '../../base/errors/index.ts';
import { isUtf8 } from 'node:buffer';
import type { Stamp } from './storage.ts';

const METADATA = Buffer.from('"metadata":{');
const LABEL = Buffer.from('"resourceVersion":"');
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Returns the offset of the first member of `metadata`. Only kind and apiVersion precede it, so the search is
 * short.
 */
function insideMetadata(value: Buffer): number {
  const at = value.indexOf(METADATA);
  if (at < 0) throw new TypeError('a stored object must begin with kind, apiVersion and metadata');
  return at + METADATA.length;
}

/** Returns the end of the resource version at `at`, including its comma, or `at` if there is no version. */
function afterVersion(value: Buffer, at: number): number {
  const after = at + LABEL.length;
  // Compared in place: every write calls this function, and `subarray` would allocate.
  if (after > value.length || LABEL.compare(value, at, after) !== 0) return at;
  const end = value.indexOf(QUOTE, after) + 1;
  if (end === 0) throw new TypeError('the resource version of a stored object has no end');
  return value[end] === COMMA ? end + 1 : end;
}

/**
 * Makes `"resourceVersion":"12",` the first member of `metadata` in the JSON of an object that begins
 * `{"kind":…,"apiVersion":…,"metadata":{`. The object is not parsed: the searched bytes cannot occur inside a
 * JSON string, where their quotes would be escaped. Throws a TypeError for bytes of another shape.
 *
 * The result is a separate buffer, not a slice of Node's pool: one long-lived slice would keep the whole pool
 * in memory.
 */
export const stampResourceVersion: Stamp = (value, revision) => {
  const start = insideMetadata(value);
  const rest = afterVersion(value, start);
  const digits = String(revision);
  const comma = value[rest] === CLOSE ? 0 : 1;
  const stamped = Buffer.allocUnsafeSlow(
    start + LABEL.length + digits.length + 1 + comma + (value.length - rest),
  );
  let at = value.copy(stamped, 0, 0, start);
  at += LABEL.copy(stamped, at);
  at += stamped.write(digits, at, 'latin1');
  stamped[at++] = QUOTE;
  if (comma === 1) stamped[at++] = COMMA;
  value.copy(stamped, at, rest);
  return stamped;
};

const BEGINNING = /^\{"kind":"[^"\\]*","apiVersion":"[^"\\]*","metadata":\{/;
/** Number of bytes in which the beginning of an object is searched for. Kinds and versions are short. */
const BEGINNING_BYTES = 1024;

/** Throws a TypeError unless the bytes are the complete JSON of a stored object. */
export function checkObject(value: Buffer): void {
  if (!isUtf8(value)) throw new TypeError('it is not valid UTF-8');
  parseJsonQuietly(value.toString());
  if (!BEGINNING.test(value.toString('latin1', 0, BEGINNING_BYTES)))
    throw new TypeError('a stored object must begin with kind, apiVersion and metadata');
}

const OPENING = Buffer.from('{');

/**
 * Returns an object in the form of an item of a typed list: without kind and apiVersion, which the list
 * states once. The result is two pieces, so that nothing is copied.
 */
export const withoutTypeMeta = (value: Buffer): readonly Buffer[] => [
  OPENING,
  value.subarray(insideMetadata(value) - METADATA.length),
];

/**
 * Returns the JSON of an object's metadata as a view of its bytes. Counts braces instead of parsing the
 * object.
 */
export function metadataBytes(value: Buffer): Buffer {
  const start = insideMetadata(value) - 1;
  let depth = 0;
  for (let at = start; at < value.length; at += 1) {
    const byte = value[at];
    if (byte === QUOTE) at = endOfText(value, at);
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE && --depth === 0) return value.subarray(start, at + 1);
  }
  throw new TypeError('the metadata of a stored object has no end');
}

/** Returns the offset of the closing quote of the string that begins at `from`. */
function endOfText(value: Buffer, from: number): number {
  let at = from + 1;
  while (at < value.length && value[at] !== QUOTE) at += value[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** True if `value` is the result of `stampResourceVersion` for `unstamped` and any version. */
export function isStampOf(value: Buffer, unstamped: Buffer): boolean {
  const start = insideMetadata(value);
  const rest = afterVersion(value, start);
  return (
    value.length - rest === unstamped.length - start &&
    value.compare(unstamped, 0, start, 0, start) === 0 &&
    value.compare(unstamped, start, unstamped.length, rest) === 0
  );
}

/**
 * Removes the resource version that `stampResourceVersion` has inserted. A value without one is returned
 * unchanged.
 */
export function unstampResourceVersion(value: Buffer): Buffer {
  const start = insideMetadata(value);
  const rest = afterVersion(value, start);
  return rest === start ? value : Buffer.concat([value.subarray(0, start), value.subarray(rest)]);
}
