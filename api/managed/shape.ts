import { type PathElement, fieldElement } from './path-element.ts';
import { type Field, type FieldOptions, type Schema, type StructSchema, resolve } from '../schema/schema.ts';
import { once } from '../../base/cache/index.ts';
import type { Structural } from '../structural/structural.ts';
import { ObjectMeta } from '../types/meta-v1.ts';
import { type ListRule, fieldOf, isAtomicMap, listRuleOf } from '../schema/walk.ts';

/**
 * Treatment of a value by apply: merged or atomic and, for a list, the identity of its items. Corresponds to
 * the schema of https://github.com/kubernetes-sigs/structured-merge-diff.
 */
export type Shape = ScalarShape | ListShape | MapShape | FreeShape;

/** Shape of a scalar value. */
export interface ScalarShape {
  readonly type: 'scalar';
  /** Accepted type; `scalar` accepts any scalar. */
  readonly accepts: 'string' | 'numeric' | 'boolean' | 'scalar';
}

/** Shape of a list. */
export interface ListShape {
  readonly type: 'list';
  readonly rule: ListRule;
  readonly items: () => Shape;
  /**
   * Keys that identify an item, in the order in which path elements name them. Empty unless the list is a
   * map.
   */
  readonly keys: () => readonly KeyShape[];
}

/** A key that identifies list items. */
export interface KeyShape {
  readonly name: string;
  /** The key and its colon as a path element writes them. */
  readonly label: string;
  /** Default value of the key for an item without the key; undefined if the key is mandatory. */
  readonly default: unknown;
}

/** Shape of a map or struct. */
export interface MapShape {
  readonly type: 'map';
  readonly atomic: boolean;
  /** The fields of a struct; empty for a map. */
  readonly fields: () => ReadonlyMap<string, FieldShape>;
  /** Shape of values under undeclared keys; undefined for a struct. */
  readonly element: () => Shape | undefined;
}

/** Shape of one field of a struct. */
export interface FieldShape {
  readonly shape: Shape;
  /** Path element that leads to the field, created only once. */
  readonly step: PathElement;
}

/**
 * Shape of a value without a schema. Such a value is atomic, like a raw extension, unless `element` is given.
 * A map is then a map of values with the shape `element`; all other values are atomic.
 */
export interface FreeShape {
  readonly type: 'free';
  readonly element: FreeShape | undefined;
}

/** Shape of an untyped atomic value. */
export const ATOM: FreeShape = { type: 'free', element: undefined };

/** Shape of a kind without a schema: nested maps are structs, lists are atomic. */
export const DEDUCED: FreeShape = ((): FreeShape => {
  const shape: { type: 'free'; element: FreeShape | undefined } = { type: 'free', element: undefined };
  shape.element = shape;
  return shape;
})();

const structShapes = new WeakMap<StructSchema, MapShape>();

/** Returns the shape of a whole object. The result is cached per schema. */
export function shapeOf(schema: StructSchema): MapShape {
  const known = structShapes.get(schema);
  if (known) return known;
  const shape = structShape(schema, schema.mapType === 'atomic');
  structShapes.set(schema, shape);
  return shape;
}

const NO_FIELDS: ReadonlyMap<string, FieldShape> = new Map();

const structShape = (schema: StructSchema, atomic: boolean): MapShape => ({
  type: 'map',
  atomic,
  fields: once(() => fieldsOf(schema)),
  element: () => (schema.root?.preserveUnknown ? DEDUCED : undefined),
});

function fieldsOf({ fields, root }: StructSchema): ReadonlyMap<string, FieldShape> {
  const shapes = new Map(root ? structuralFields(root, root.preserveUnknown) : []);
  for (const [name, field] of Object.entries(fields))
    shapes.set(name, { shape: fieldShape(field), step: fieldElement(name) });
  return shapes;
}

function fieldShape(field: Field): Shape {
  return shapeAt(field.schema, field.options, isAtomicMap(field, field.schema));
}

/**
 * Returns the shape of a value. `options` are those of the field that holds the value; empty for a list item
 * or map value.
 */
function shapeAt(schema: Schema, options: FieldOptions, atomic: boolean): Shape {
  const target = resolve(schema);
  switch (target.kind) {
    case 'scalar':
      return { type: 'scalar', accepts: ACCEPTED[target.format] };
    case 'array': {
      const rule = listRuleOf(options);
      return {
        type: 'list',
        rule,
        items: once(() => itemShape(target.items)),
        keys: once(() => keyShapes(rule, (key) => keyDefault(target.items, key))),
      };
    }
    case 'map':
      return { type: 'map', atomic, fields: () => NO_FIELDS, element: once(() => itemShape(target.values)) };
    case 'any':
    case 'either':
      return ATOM;
    case 'struct':
      return atomic === (target.mapType === 'atomic') ? shapeOf(target) : structShape(target, atomic);
  }
}

const itemShape = (schema: Schema): Shape => shapeAt(schema, {}, isAtomicMap(undefined, schema));

/** Returns the keys of a list rule. `defaultOf` returns the default of a key. */
export const keyShapes = (rule: ListRule, defaultOf: (key: string) => unknown): readonly KeyShape[] =>
  (rule.type === 'map' ? [...rule.keys].sort() : []).map((name) => ({
    name,
    label: `${JSON.stringify(name)}:`,
    default: defaultOf(name),
  }));

/**
 * Returns the declared default of a key field; if it has none, the zero value of a scalar that is always
 * written.
 */
function keyDefault(items: Schema, key: string): unknown {
  const target = resolve(items);
  const field = target.kind === 'struct' ? fieldOf(target, key) : undefined;
  if (!field || field.options.default !== undefined) return field?.options.default;
  const schema = resolve(field.schema);
  if (field.presence !== 'required' || schema.kind !== 'scalar') return undefined;
  return ZEROS[ACCEPTED[schema.format]];
}

const ZEROS = { string: '', numeric: 0, boolean: false, scalar: undefined } as const;

const ACCEPTED = {
  string: 'string',
  bytes: 'string',
  duration: 'string',
  boolean: 'boolean',
  int32: 'numeric',
  int64: 'numeric',
  double: 'numeric',
  time: 'scalar',
  'micro-time': 'scalar',
  quantity: 'scalar',
  'int-or-string': 'scalar',
} as const;

const structuralFields = (node: Structural, deduces: boolean): [string, FieldShape][] =>
  [...node.properties].map(([name, each]) => [
    name,
    { shape: structuralShape(each, deduces), step: fieldElement(name) },
  ]);

/**
 * Returns the shape of a part of a custom resource, as upstream derives it from OpenAPI. `deduces` is true
 * within an object that preserves unknown fields. There, maps without a schema are tracked field by field.
 */
function structuralShape(node: Structural, deduces: boolean): Shape {
  switch (node.type) {
    case 'object':
      return node.properties.size > 0 || node.embedded
        ? structuralStruct(node, deduces)
        : structuralMap(node, deduces);
    case 'array':
      return {
        type: 'list',
        rule: structuralRule(node),
        items: once(() => partShape(node.items, deduces)),
        keys: once(() => keyShapes(structuralRule(node), (key) => node.items?.properties.get(key)?.default)),
      };
    case 'integer':
    case 'number':
      return { type: 'scalar', accepts: 'numeric' };
    case 'boolean':
      return { type: 'scalar', accepts: 'boolean' };
    case 'string':
      return { type: 'scalar', accepts: PLAIN_FORMATS.has(node.props.format ?? '') ? 'string' : 'scalar' };
    default:
      return deduces ? DEDUCED : ATOM;
  }
}

const PLAIN_FORMATS: ReadonlySet<string> = new Set(['', 'byte']);

const partShape = (node: Structural | true | undefined, deduces: boolean): Shape =>
  node === undefined || node === true ? (deduces ? DEDUCED : ATOM) : structuralShape(node, deduces);

function structuralStruct(node: Structural, within: boolean): MapShape {
  const deduces = within || node.preserveUnknown;
  return {
    type: 'map',
    atomic: node.mapType === 'atomic',
    fields: once(
      () => new Map([...structuralFields(node, deduces), ...(node.embedded ? embeddedFields() : [])]),
    ),
    element: () => (deduces ? DEDUCED : undefined),
  };
}

const structuralMap = (node: Structural, deduces: boolean): MapShape => ({
  type: 'map',
  atomic: node.mapType === 'atomic',
  fields: () => NO_FIELDS,
  element: once(() => partShape(node.additional, deduces)),
});

/** Returns the fields that every API object has, for an embedded object. */
const embeddedFields = (): [string, FieldShape][] => [
  ['apiVersion', { shape: { type: 'scalar', accepts: 'string' }, step: fieldElement('apiVersion') }],
  ['kind', { shape: { type: 'scalar', accepts: 'string' }, step: fieldElement('kind') }],
  ['metadata', { shape: shapeOf(ObjectMeta), step: fieldElement('metadata') }],
];

function structuralRule({ listType, listMapKeys }: Structural): ListRule {
  if (listType === 'map') return { type: 'map', keys: listMapKeys };
  return { type: listType === 'set' ? 'set' : 'atomic' };
}

/** Returns the shape of the value under `key`; undefined for an undeclared key of a struct. */
export const childShape = (shape: MapShape, key: string): Shape | undefined =>
  shape.fields().get(key)?.shape ?? shape.element();
