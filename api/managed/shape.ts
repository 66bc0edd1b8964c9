import { type PathElement, fieldElement } from './path-element.ts';
import { type Field, type FieldOptions, type Schema, type StructSchema, resolve } from '../schema/schema.ts';
import { type ListRule, fieldOf, isAtomicMap, listRuleOf } from '../schema/walk.ts';

/** How apply sees a value: what merges, what is one piece, what identifies an item (structured-merge-diff's schema). */
export type Shape = ScalarShape | ListShape | MapShape | FreeShape;

export interface ScalarShape {
  readonly type: 'scalar';
  /** `scalar`: any of them. */
  readonly accepts: 'string' | 'numeric' | 'boolean' | 'scalar';
}

export interface ListShape {
  readonly type: 'list';
  readonly rule: ListRule;
  readonly items: () => Shape;
  /** What a key that an item leaves out has by default. */
  readonly keyDefault: (key: string) => unknown;
}

export interface MapShape {
  readonly type: 'map';
  readonly atomic: boolean;
  /** The fields of a struct; of a map none. */
  readonly fields: () => ReadonlyMap<string, FieldShape>;
  /** What other keys hold; undefined for a struct, which has none. */
  readonly element: () => Shape | undefined;
}

export interface FieldShape {
  readonly shape: Shape;
  /** The step that leads to it, made once. */
  readonly step: PathElement;
}

/** A value without a schema: one piece, or where it is a map and `element` is given, a map of such. */
export interface FreeShape {
  readonly type: 'free';
  readonly element: FreeShape | undefined;
}

const PIECE: FreeShape = { type: 'free', element: undefined };

/** A raw extension: a map of pieces. */
const RAW: FreeShape = { type: 'free', element: PIECE };

/** A kind without a schema: maps are structs all the way down, lists are atomic. */
export const DEDUCED: FreeShape = ((): FreeShape => {
  const shape: { type: 'free'; element: FreeShape | undefined } = { type: 'free', element: undefined };
  shape.element = shape;
  return shape;
})();

const structShapes = new WeakMap<StructSchema, MapShape>();

/** The shape of a whole object; made once a schema. */
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
  fields: once(
    () =>
      new Map(
        Object.entries(schema.fields).map(([name, field]) => [
          name,
          { shape: fieldShape(field), step: fieldElement(name) },
        ]),
      ),
  ),
  element: () => undefined,
});

function fieldShape(field: Field): Shape {
  return shapeAt(field.schema, field.options, isAtomicMap(field, field.schema));
}

/** `options` are those of the field that holds the value, empty for an item. */
function shapeAt(schema: Schema, options: FieldOptions, atomic: boolean): Shape {
  const target = resolve(schema);
  switch (target.kind) {
    case 'scalar':
      return { type: 'scalar', accepts: ACCEPTED[target.format] };
    case 'array':
      return {
        type: 'list',
        rule: listRuleOf(options),
        items: once(() => itemShape(target.items)),
        keyDefault: (key) => keyDefault(target.items, key),
      };
    case 'map':
      return { type: 'map', atomic, fields: () => NO_FIELDS, element: once(() => itemShape(target.values)) };
    case 'any':
      return RAW;
    case 'struct':
      return atomic === (target.mapType === 'atomic') ? shapeOf(target) : structShape(target, atomic);
  }
}

const itemShape = (schema: Schema): Shape => shapeAt(schema, {}, isAtomicMap(undefined, schema));

/** A declared default, or the zero value of a scalar that is always written. */
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

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The shape of the value under `key`; undefined for a key that a struct does not have. */
export const childShape = (shape: MapShape, key: string): Shape | undefined =>
  shape.fields().get(key)?.shape ?? shape.element();
