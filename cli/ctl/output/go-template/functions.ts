import { isRecord } from '../../../../base/collections/index.ts';
import { Int, goType, goValue, sprintf } from './printf.ts';
import { TemplateError } from './tree.ts';

/** Function of a template. `and` and `or` are not here, because they do not evaluate all arguments. */
export type TemplateFunction = (...values: readonly unknown[]) => unknown;

/** True if Go's `if` takes the value as true: it is not the zero value of its type and not empty. */
export function isTrue(value: unknown): boolean {
  if (value instanceof Int) return Number(value.value) !== 0;
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

const wrong = (name: string, reason: string): TemplateError =>
  new TemplateError(`error calling ${name}: ${reason}`);

/** Functions of `text/template`, and `exists` and `base64decode` of kubectl. */
export const templateFunctions: { readonly [name: string]: TemplateFunction } = {
  not: (value) => !isTrue(value),
  len(value) {
    if (typeof value === 'string') return new Int(Buffer.byteLength(value));
    if (Array.isArray(value)) return new Int(value.length);
    if (isRecord(value) && !(value instanceof Int)) return new Int(Object.keys(value).length);
    throw wrong('len', `len of type ${goType(value)}`);
  },
  index: (from, ...keys) => keys.reduce((found, key) => indexed(found, key), from),
  slice: (value, ...bounds) => sliced(value, bounds),
  print: (...values) =>
    joined(values, (left, right) => typeof left !== 'string' && typeof right !== 'string'),
  println: (...values) => `${joined(values, () => true)}\n`,
  printf(format, ...values) {
    if (typeof format !== 'string')
      throw wrong('printf', `wrong type for value; expected string; got ${goType(format)}`);
    return sprintf(format, values);
  },
  html: (...values) => textOf(values).replace(/[&<>"'\0]/g, (found) => HTML[found] ?? found),
  js: (...values) => textOf(values).replace(/[\\'"<>&=\n\r\t\0]/g, (found) => SCRIPT[found] ?? found),
  urlquery: (...values) =>
    encodeURIComponent(textOf(values))
      .replace(/[!'()*]/g, percent)
      .replaceAll('%20', '+'),
  eq(first, ...others) {
    if (others.length === 0) throw wrong('eq', 'missing argument for comparison');
    return others.some((other) => isEqual('eq', first, other));
  },
  ne: (left, right) => !isEqual('ne', left, right),
  lt: (left, right) => compared('lt', left, right) < 0,
  le: (left, right) => compared('le', left, right) <= 0,
  gt: (left, right) => compared('gt', left, right) > 0,
  ge: (left, right) => compared('ge', left, right) >= 0,
  exists(from, ...keys) {
    let found = from;
    for (const key of keys) {
      if (key instanceof Int && Array.isArray(found) && key.value >= 0 && key.value < found.length)
        found = (found as unknown[])[Number(key.value)];
      else if (typeof key === 'string' && isRecord(found) && Object.hasOwn(found, key)) found = found[key];
      else return false;
    }
    return true;
  },
  base64decode(value) {
    if (typeof value !== 'string') throw wrong('base64decode', `expected string; got ${goType(value)}`);
    const bytes = Buffer.from(value, 'base64');
    if (bytes.toString('base64') !== value) throw wrong('base64decode', 'illegal base64 data');
    return bytes.toString();
  },
};

const HTML: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '\0': '\uFFFD',
};
const SCRIPT: { readonly [character: string]: string } = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
  '\n': '\\u000A',
  '\r': '\\u000D',
  '\t': '\\u0009',
  '\0': '\\u0000',
};

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
const textOf = (values: readonly unknown[]): string =>
  joined(values, (left, right) => typeof left !== 'string' && typeof right !== 'string');

/** Joins values; `spaced` returns true if a space is between two of them. */
const joined = (values: readonly unknown[], spaced: (left: unknown, right: unknown) => boolean): string =>
  values.map((value, at) => (at > 0 && spaced(values[at - 1], value) ? ' ' : '') + goValue(value)).join('');

function indexed(from: unknown, key: unknown): unknown {
  if (from === undefined || from === null) throw wrong('index', 'index of untyped nil');
  if (Array.isArray(from) || typeof from === 'string') {
    if (!(key instanceof Int)) throw wrong('index', `cannot index slice/array with type ${goType(key)}`);
    const items =
      typeof from === 'string' ? [...Buffer.from(from)].map((byte) => new Int(byte)) : (from as unknown[]);
    if (key.value < 0 || key.value >= items.length) throw wrong('index', `index out of range: ${key.value}`);
    return items[Number(key.value)];
  }
  if (!isRecord(from) || from instanceof Int)
    throw wrong('index', `can't index item of type ${goType(from)}`);
  if (typeof key !== 'string') throw wrong('index', `value has type ${goType(key)}; should be string`);
  return Object.hasOwn(from, key) ? from[key] : undefined;
}

function sliced(value: unknown, bounds: readonly unknown[]): unknown {
  const items =
    typeof value === 'string' ? Buffer.from(value) : Array.isArray(value) ? (value as unknown[]) : undefined;
  if (items === undefined) throw wrong('slice', `can't slice item of type ${goType(value)}`);
  const [from = 0, to = items.length] = bounds.map((bound) => {
    if (!(bound instanceof Int)) throw wrong('slice', `cannot index slice/array with type ${goType(bound)}`);
    if (bound.value < 0 || bound.value > items.length)
      throw wrong('slice', `index out of range: ${bound.value}`);
    return Number(bound.value);
  });
  if (from > to) throw wrong('slice', `invalid slice index: ${from} > ${to}`);
  const part = items.slice(from, to);
  return Buffer.isBuffer(part) ? part.toString() : part;
}

/** Returns comparable forms of two values of the same basic type. */
function basics(name: string, left: unknown, right: unknown): readonly [unknown, unknown] {
  if (left instanceof Int && right instanceof Int) return [BigInt(left.value), BigInt(right.value)];
  if (goType(left) !== goType(right)) throw wrong(name, 'incompatible types for comparison');
  return [left, right];
}

function isEqual(name: string, left: unknown, right: unknown): boolean {
  if (left === undefined || left === null || right === undefined || right === null)
    return (left ?? null) === (right ?? null);
  const [one, other] = basics(name, left, right);
  if (typeof one === 'object') throw wrong(name, 'non-comparable type');
  return one === other;
}

function compared(name: string, left: unknown, right: unknown): number {
  const [one, other] = basics(name, left, right);
  if (isOrdered(one) && isOrdered(other)) return one < other ? -1 : one > other ? 1 : 0;
  throw wrong(name, 'invalid type for comparison');
}

const isOrdered = (value: unknown): value is string | number | bigint =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
