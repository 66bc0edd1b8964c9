import { spend } from '../../base/budget/index.ts';
import { type JsonObject, isObject, setOwn } from '../schema/own.ts';
import {
  type EitherSchema,
  type Field,
  type MapSchema,
  type Schema,
  type StructSchema,
  optional,
  required,
  resolve,
  string,
} from '../schema/schema.ts';
import { type LayoutField, layoutOf } from './layout.ts';
import { ProtobufError } from './protobuf-error.ts';
import { SCALARS, type Shape, anything, mismatch } from './scalars.ts';
import { BYTES, type Reader, readEnd, readTag, skipValue } from './wire.ts';
import type { BackwardWriter } from './writer.ts';

/**
 * Maximum nesting of messages. Other implementations have the same limit. It is far above the nesting of all
 * declared types.
 */
const MAX_DEPTH = 100;

/** Measured work units for a field that is read, and for a byte of packed numbers. */
const FIELD = 0.25;
const PACKED_BYTE = 0.05;
/** Measured work units for an entry of a map. Maps may have many entries. */
const ENTRY = 0.7;

/** Codec of a struct as a protobuf message. */
export interface Message {
  write(writer: BackwardWriter, object: JsonObject): void;
  /** Reads the fields of a message that ends at the offset `end` into `target`. */
  read(reader: Reader, end: number, target: JsonObject): void;
}

const messages = new WeakMap<StructSchema, Message>();

/** Returns the codec of a struct. It is compiled on first use. */
export function compileProto(schema: StructSchema): Message {
  const known = messages.get(schema);
  if (known !== undefined) return known;
  const message = compileFields(layoutOf(schema));
  messages.set(schema, message);
  return message;
}

/**
 * Codec of one field, or of a nested message that JSON inlines. Writes the tag and the value if the object
 * has a value.
 */
interface FieldCodec {
  readonly number: number;
  write(writer: BackwardWriter, object: JsonObject): void;
  /** True if the field accepts values of this wire type. */
  takes(wire: number): boolean;
  /**
   * Reads a value of the wire type `wire`. For BYTES, the reader is at the first byte of the value, and `end`
   * is the offset after its last byte.
   */
  read(reader: Reader, end: number, target: JsonObject, wire: number): void;
}

const compileFields = (layout: readonly LayoutField[]): Message =>
  messageOf(
    layout.map((each) => (each.kind === 'field' ? fieldCodec(each.name, each.field) : nestedCodec(each))),
  );

/**
 * Returns the codec of a message. `fields` are in the order in which they are written, ascending by number.
 */
function messageOf(fields: readonly FieldCodec[]): Message {
  const backwards = fields.toReversed();
  const byNumber: FieldCodec[] = [];
  for (const field of fields) byNumber[field.number] = field;
  return {
    write(writer, object) {
      for (const field of backwards) field.write(writer, object);
    },
    read(reader, end, target) {
      enter(reader);
      while (reader.at < end) {
        spend(FIELD);
        const tag = readTag(reader, end);
        const wire = tag & 7;
        const field = byNumber[tag >>> 3];
        if (field === undefined || !field.takes(wire)) skipValue(reader, end, wire);
        else if (wire === BYTES) {
          const valueEnd = readEnd(reader, end);
          field.read(reader, valueEnd, target, wire);
          reader.at = valueEnd;
        } else field.read(reader, end, target, wire);
      }
      reader.depth -= 1;
    },
  };
}

function enter(reader: Reader): void {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH)
    throw new ProtobufError('depth', `messages nested deeper than ${MAX_DEPTH} levels`);
}

function nestedCodec({ number, fields }: Extract<LayoutField, { kind: 'nested' }>): FieldCodec {
  const inner = compileFields(fields);
  const tag = tagOf(number, BYTES);
  return {
    number,
    takes: (wire) => wire === BYTES,
    write(writer, object) {
      const from = writer.size;
      inner.write(writer, object);
      writer.wrap(tag, from);
    },
    read: (reader, end, target) => inner.read(reader, end, target),
  };
}

const tagOf = (number: number, wire: number): number => number * 8 + wire;

function fieldCodec(name: string, field: Field): FieldCodec {
  const schema = resolve(field.schema);
  if (schema.kind === 'array' && schema.wrapped !== true) return listCodec(name, field.number, schema.items);
  if (schema.kind === 'map') return mapCodec(name, field.number, schema);
  return singleCodec(name, field, shapeOf(schema));
}

/**
 * True if Go holds the field by pointer or slice, and writes nothing if it is nil. JSON may omit such a
 * field.
 */
const isPointer = ({ presence, options, schema }: Field): boolean => {
  const target = resolve(schema);
  return (
    presence === 'optional' ||
    options.nullable === true ||
    (target.kind === 'scalar' && target.format === 'bytes')
  );
};

function singleCodec(name: string, field: Field, shape: Shape): FieldCodec {
  const { number } = field;
  const { wire } = shape;
  const left = isPointer(field);
  const inherited = name in Object.prototype;
  // Only messages and named lists are merged with an earlier value of the same field.
  const merges = MERGED.has(resolve(field.schema).kind);
  return {
    number,
    takes: (given) => given === wire,
    write(writer, object) {
      const value = (inherited ? ownValue(object, name) : object[name]) ?? null;
      if (value === null && left) return;
      writeItem(writer, number, shape, value);
    },
    read(reader, end, target) {
      setOwn(target, name, shape.read(reader, end, merges ? ownValue(target, name) : undefined));
    },
  };
}

const MERGED: ReadonlySet<Schema['kind']> = new Set(['struct', 'array']);

/** Returns an object's own value. A field may have the name of an inherited member, such as `constructor`. */
const ownValue = (object: JsonObject, name: string): unknown =>
  name in Object.prototype && !Object.hasOwn(object, name) ? undefined : object[name];

function writeItem(writer: BackwardWriter, number: number, shape: Shape, value: unknown): void {
  const from = writer.size;
  shape.write(writer, value ?? shape.zero);
  const tag = tagOf(number, shape.wire);
  if (shape.wire === BYTES) writer.wrap(tag, from);
  else writer.varint(tag);
}

/** Returns the codec of a value that is not a plain list or map. Structs are compiled on first use. */
function shapeOf(schema: Schema): Shape {
  const target = resolve(schema);
  switch (target.kind) {
    case 'scalar':
      return SCALARS[target.format];
    case 'any':
      return anything;
    case 'struct':
      return structShape(target);
    case 'array':
      if (target.wrapped === true) return wrappedShape(target.items);
      break;
    case 'either':
      return eitherShape(target);
    case 'map':
      break;
  }
  throw new TypeError(`a ${target.kind} within a list or map has no protobuf form unless it is a named type`);
}

function structShape(schema: StructSchema): Shape {
  let message: Message | undefined;
  return {
    wire: BYTES,
    zero: {},
    write(writer, value) {
      if (!isObject(value)) throw mismatch('message', value);
      (message ??= compileProto(schema)).write(writer, value);
    },
    read(reader, end, held) {
      const target = isObject(held) ? held : {};
      (message ??= compileProto(schema)).read(reader, end, target);
      return target;
    },
  };
}

/**
 * Returns the codec of a message with one field for each alternative. If the alternatives are a boolean and a
 * struct, the boolean is written as true together with a struct.
 */
function eitherShape({ struct, other }: EitherSchema): Shape {
  const listed = other.kind === 'array';
  let compiled: Message | undefined;
  const message = (): Message =>
    (compiled ??= messageOf(
      [
        fieldCodec('struct', optional(listed ? 1 : 2, struct)),
        fieldCodec('other', listed ? optional(2, other) : required(1, other)),
      ].sort((left, right) => left.number - right.number),
    ));
  return {
    wire: BYTES,
    zero: listed ? [] : false,
    write(writer, value) {
      const held = isObject(value) ? { struct: value, ...(listed ? {} : { other: true }) } : { other: value };
      message().write(writer, held);
    },
    read(reader, end) {
      const target: { struct?: unknown; other?: unknown } = {};
      message().read(reader, end, target);
      return target.struct ?? target.other ?? (listed ? [] : false);
    },
  };
}

/** Returns the codec of a named list, a message whose field 1 holds the items. */
function wrappedShape(items: Schema): Shape {
  const message = messageOf([listCodec('items', 1, items)]);
  return {
    wire: BYTES,
    zero: [],
    write: (writer, value) => message.write(writer, { items: value }),
    read(reader, end, held) {
      const target = { items: Array.isArray(held) ? held : [] };
      message.read(reader, end, target);
      return target.items;
    },
  };
}

function listCodec(name: string, number: number, items: Schema): FieldCodec {
  let compiled: Shape | undefined;
  const shapeNow = (): Shape => (compiled ??= shapeOf(items));
  const append = (target: JsonObject): unknown[] => {
    const held = ownValue(target, name);
    if (Array.isArray(held)) return held;
    const list: unknown[] = [];
    setOwn(target, name, list);
    return list;
  };
  return {
    number,
    // Numbers may be packed into a single value of the wire type BYTES.
    takes: (wire) => wire === shapeNow().wire || wire === BYTES,
    write(writer, object) {
      const value = ownValue(object, name) ?? null;
      if (value === null) return;
      if (!Array.isArray(value)) throw mismatch('list', value);
      const shape = shapeNow();
      for (let index = value.length - 1; index >= 0; index -= 1) {
        writeItem(writer, number, shape, value[index]);
      }
    },
    read(reader, end, target, wire) {
      const shape = shapeNow();
      const list = append(target);
      if (wire === shape.wire) list.push(shape.read(reader, end));
      else {
        spend((end - reader.at) * PACKED_BYTE);
        while (reader.at < end) list.push(shape.read(reader, end));
      }
    },
  };
}

/**
 * Returns the codec of a map. Each entry is a message of key (1) and value (2). Entries are written in the
 * order of their keys; of several entries with one key, the last wins when reading.
 */
function mapCodec(name: string, number: number, { values }: MapSchema): FieldCodec {
  const entry = messageOf([
    fieldCodec('key', required(1, string)),
    singleCodec('value', required(2, values), shapeOf(values)),
  ]);
  const tag = tagOf(number, BYTES);
  const missing = missingValue(shapeOf(values).zero);
  return {
    number,
    takes: (wire) => wire === BYTES,
    write(writer, object) {
      const map = ownValue(object, name) ?? null;
      if (map === null) return;
      if (!isObject(map)) throw mismatch('map', map);
      for (const key of Object.keys(map).sort().reverse()) {
        const from = writer.size;
        entry.write(writer, { key, value: map[key] });
        writer.wrap(tag, from);
      }
    },
    read(reader, end, target) {
      const held = ownValue(target, name);
      const map: JsonObject = isObject(held) ? held : {};
      spend(ENTRY);
      const read: { key?: string; value?: unknown } = {};
      entry.read(reader, end, read);
      setOwn(map, read.key ?? '', read.value ?? missing);
      setOwn(target, name, map);
    },
  };
}

/**
 * Returns the value for a map entry without a value. It is `null` for lists and messages, because a constant
 * object would be shared. Decoding by the schema replaces the `null`.
 */
const missingValue = (zero: unknown): unknown => (typeof zero === 'object' ? null : zero);
