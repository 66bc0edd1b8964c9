import { type PathElement, fieldElement } from './path-element.ts';
import { type Field, type FieldOptions, type Schema, type StructSchema, resolve } from '../schema/schema.ts';
import { once } from '../../base/cache/index.ts';
import type { Structural } from '../structural/structural.ts';
import { ObjectMeta } from '../types/meta-v1.ts';
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
  /** What tells items apart, in the order in which steps name it; empty but for a list that is a map. */
  readonly keys: () => readonly KeyShape[];
}

export interface KeyShape {
  readonly name: string;
  /** The name as a step writes it, with its colon. */
  readonly label: string;
  /** What an item has that leaves the key out; undefined: none may. */
  readonly default: unknown;
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

/** A value without a schema: one piece, as raw extensions are, or where it is a map and `element` is given, a map of such. */
export interface FreeShape {
  readonly type: 'free';
  readonly element: FreeShape | undefined;
}

const PIECE: FreeShape = { type: 'free', element: undefined };

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

/** `options` are those of the field that holds the value, empty for an item. */
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
      return PIECE;
    case 'struct':
      return atomic === (target.mapType === 'atomic') ? shapeOf(target) : structShape(target, atomic);
  }
}

const itemShape = (schema: Schema): Shape => shapeAt(schema, {}, isAtomicMap(undefined, schema));

export const keyShapes = (rule: ListRule, defaultOf: (key: string) => unknown): readonly KeyShape[] =>
  (rule.type === 'map' ? [...rule.keys].sort() : []).map((name) => ({
    name,
    label: `${JSON.stringify(name)}:`,
    default: defaultOf(name),
  }));

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

const structuralFields = (node: Structural, deduces: boolean): [string, FieldShape][] =>
  [...node.properties].map(([name, each]) => [
    name,
    { shape: structuralShape(each, deduces), step: fieldElement(name) },
  ]);

/**
 * The shape of a part of a custom resource, as upstream's comes to be by way of OpenAPI. `deduces`: an object around it keeps
 * unknown fields, so that below it maps without a schema are told apart field by field.
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
      return deduces ? DEDUCED : PIECE;
  }
}

const PLAIN_FORMATS: ReadonlySet<string> = new Set(['', 'byte']);

const partShape = (node: Structural | true | undefined, deduces: boolean): Shape =>
  node === undefined || node === true ? (deduces ? DEDUCED : PIECE) : structuralShape(node, deduces);

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

/** What every object has, for one that lies within another. */
const embeddedFields = (): [string, FieldShape][] => [
  ['apiVersion', { shape: { type: 'scalar', accepts: 'string' }, step: fieldElement('apiVersion') }],
  ['kind', { shape: { type: 'scalar', accepts: 'string' }, step: fieldElement('kind') }],
  ['metadata', { shape: shapeOf(ObjectMeta), step: fieldElement('metadata') }],
];

function structuralRule({ listType, listMapKeys }: Structural): ListRule {
  if (listType === 'map') return { type: 'map', keys: listMapKeys };
  return { type: listType === 'set' ? 'set' : 'atomic' };
}

/** The shape of the value under `key`; undefined for a key that a struct does not have. */
export const childShape = (shape: MapShape, key: string): Shape | undefined =>
  shape.fields().get(key)?.shape ?? shape.element();
