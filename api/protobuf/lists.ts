import { listOf, ref, required, struct, value, type StructSchema } from '../schema/schema.ts';
import { ListMeta } from '../types/meta-v1.ts';
import { typeMeta } from '../types/type-meta.ts';
import type { JsonObject } from '../schema/own.ts';
import { type TypeMeta, writeEnvelope } from './envelope.ts';
import { compileProto } from './message.ts';
import { BYTES } from './wire.ts';
import { BackwardWriter } from './writer.ts';

const lists = new WeakMap<StructSchema, StructSchema>();

/** Returns the schema of a kind's list, with the fields metadata (1) and items (2). */
export function listSchemaOf(item: StructSchema): StructSchema {
  const known = lists.get(item);
  if (known !== undefined) return known;
  const list: StructSchema = struct(`${item.name}List`, {
    ...typeMeta,
    metadata: value(1, ref<ListMeta>(ListMeta)),
    items: required(2, listOf(ref(item))),
  });
  lists.set(item, list);
  return list;
}

/** Approximate number of bytes that a list adds to each item, and to all items together. */
const ITEM_BYTES = 8;
const REST_BYTES = 512;

/** Encodes a list of already encoded items, in an envelope. */
export function encodeList(typeMeta: TypeMeta, metadata: object, items: readonly Uint8Array[]): Buffer {
  const bytes = items.reduce((sum, item) => sum + item.length + ITEM_BYTES, REST_BYTES);
  const writer = new BackwardWriter(bytes);
  writeEnvelope(writer, typeMeta, () => {
    for (const item of items.toReversed()) {
      const from = writer.size;
      writer.bytes(item);
      writer.wrap(ITEMS, from);
    }
    const from = writer.size;
    compileProto(ListMeta).write(writer, metadata as JsonObject);
    writer.wrap(METADATA, from);
  });
  return writer.finish();
}

const METADATA = 1 * 8 + BYTES;
const ITEMS = 2 * 8 + BYTES;
