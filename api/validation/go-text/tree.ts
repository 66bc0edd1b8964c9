import { spend } from '../../../base/budget/index.ts';
import { parseQuantity, quantityValue } from '../../quantity/quantity.ts';
import { getOwn, isObject } from '../../schema/own.ts';
import { fieldsOf } from './types.ts';

/** A JSON value converted to the form in which Go holds it. */
export type GoNode =
  | { readonly is: 'nil'; readonly type: string }
  /** Printed as `text`; `zero` is true for the zero value of its type. */
  | { readonly is: 'plain'; readonly type: string; readonly text: string; readonly zero: boolean }
  | { readonly is: 'pointer'; readonly type: string; readonly to: GoNode }
  /** `whole` marks a struct that is compared as one value, regardless of its parts. */
  | { readonly is: 'struct'; readonly type: string; readonly parts: readonly GoPart[]; readonly whole?: true }
  | { readonly is: 'list'; readonly type: string; readonly parts: readonly GoPart[] }
  | { readonly is: 'map'; readonly type: string; readonly parts: readonly GoPart[] };

/** A struct field, a map entry or a list item. List items have an empty name. */
export interface GoPart {
  readonly name: string;
  readonly node: GoNode;
}

const SCALARS = new Set(['text', 'number', 'bool', 'string', 'int32', 'int64']);
const NAMED_TEXT = /(Policy|Mode|Type|Operator|Phase|Name|Scope)$/;
const RESOURCES = 'core.ResourceList';

/** Work units for one node, which is created, compared and possibly printed. */
const NODE_WORK = 0.5;

/** Converts a JSON value to the value of a Go type, written in the notation of `types.ts`. */
export function goTree(type: string, value: unknown): GoNode {
  spend(NODE_WORK);
  if (type === 'time') return plain('v1.Time', 'time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)', true);
  if (type.startsWith('*')) return pointer(type, value);
  if (type.startsWith('[]')) return list(type, value);
  if (type.startsWith('map[string]')) return map(type, value, (held) => goTree('text', held));
  if (type === RESOURCES) return map(type, value, quantity);
  if (type === 'resource.Quantity') return quantity(value);
  if (SCALARS.has(type) || (typeof value !== 'object' && value !== undefined)) return scalar(type, value);
  return struct(type, isObject(value) ? value : {});
}

const plain = (type: string, text: string, zero: boolean): GoNode => ({ is: 'plain', type, text, zero });

function scalar(type: string, value: unknown): GoNode {
  if (value === undefined || value === null)
    return type === 'bool' ? plain(type, 'false', true) : plain(type, type === 'text' ? '""' : '0', true);
  const zero = value === '' || value === 0 || value === false;
  return plain(type, typeof value === 'string' ? JSON.stringify(value) : String(value as number), zero);
}

function pointer(type: string, value: unknown): GoNode {
  if (value === undefined || value === null) return { is: 'nil', type };
  const to = type.slice(1);
  const isText = typeof value === 'string' && NAMED_TEXT.test(to);
  return { is: 'pointer', type, to: goTree(isText ? 'text' : to, value) };
}

function list(type: string, value: unknown): GoNode {
  if (!Array.isArray(value) || value.length === 0) return { is: 'nil', type };
  return { is: 'list', type, parts: value.map((item) => ({ name: '', node: goTree(type.slice(2), item) })) };
}

function map(type: string, value: unknown, nodeOf: (held: unknown) => GoNode): GoNode {
  if (!isObject(value)) return { is: 'nil', type };
  const parts = Object.keys(value)
    .sort()
    .map((key) => ({ name: key, node: nodeOf(value[key]) }));
  return { is: 'map', type, parts };
}

function struct(type: string, value: { readonly [key: string]: unknown }): GoNode {
  const fields =
    fieldsOf(type) ?? Object.keys(value).map((key) => ({ name: pascal(key), key, type: guess(value[key]) }));
  const parts = fields.map(({ name, key, type: of }) => ({
    name,
    node: goTree(of, key === undefined ? value : getOwn(value, key)),
  }));
  return { is: 'struct', type, parts };
}

const pascal = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1);

/** Returns the likely Go type of a value whose field is unknown. */
function guess(value: unknown): string {
  if (Array.isArray(value)) return `[]${guess(value[0])}`;
  if (typeof value === 'object') return 'struct';
  return typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'bool' : 'number';
}

const FORMATS: readonly (readonly [RegExp, string])[] = [
  [/[KMGTPE]i$/, 'BinarySI'],
  [/[eE][-+]?\d+$/, 'DecimalExponent'],
];

/** Converts a quantity to its Go fields: number, power of ten, string and format. */
function quantity(value: unknown): GoNode {
  const text = String(value as string | number);
  const { digits, scale } = amountOf(text);
  const format = FORMATS.find(([pattern]) => pattern.test(text))?.[1] ?? 'DecimalSI';
  const amount: GoNode = {
    is: 'struct',
    type: 'resource.int64Amount',
    parts: [
      { name: 'value', node: plain('int64', digits, digits === '0') },
      { name: 'scale', node: plain('resource.Scale', String(scale), scale === 0) },
    ],
  };
  const none: GoNode = {
    is: 'struct',
    type: 'resource.infDecAmount',
    parts: [{ name: 'Dec', node: { is: 'nil', type: '*inf.Dec' } }],
  };
  return {
    is: 'struct',
    type: 'resource.Quantity',
    whole: true,
    parts: [
      { name: 'i', node: amount },
      { name: 'd', node: none },
      { name: 's', node: plain('string', JSON.stringify(text), false) },
      { name: 'Format', node: plain('resource.Format', `"${format}"`, false) },
    ],
  };
}

const SCALES: { readonly [suffix: string]: number } = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

function amountOf(text: string): { digits: string; scale: number } {
  const [, whole = '0', part = '', suffix = ''] = /^([-+]?\d*)(?:\.(\d*))?([a-zA-Z]*)$/.exec(text) ?? [];
  if (suffix.endsWith('i')) return { digits: String(quantityValue(parseQuantity(text))), scale: 0 };
  return { digits: `${whole}${part}` || '0', scale: (SCALES[suffix] ?? 0) - part.length };
}

/** True if a value is the zero value of its type, which printed structs omit. */
export function isZero(node: GoNode): boolean {
  if (node.is === 'nil') return true;
  if (node.is === 'plain') return node.zero;
  return node.is === 'struct' && node.parts.every((part) => isZero(part.node));
}

/**
 * Returns the type as it is printed. The internal name `text` stands for strings. Go prints `string` as the
 * element type of lists and maps.
 */
export const typeName = (type: string): string => type.replace(/\btext\b/g, 'string');
