import { type AnyKind, type Subresource, isVirtualSubresource } from '../../../api/kinds/index.ts';
import {
  type TypeMeta,
  encodeList,
  encodeObject,
  encodeProto,
  encodeWatchFrame,
  hasProtobuf,
  listSchemaOf,
  wrapEnvelope,
} from '../../../api/protobuf/index.ts';
import type { StructSchema } from '../../../api/schema/index.ts';
import {
  APIGroup,
  APIGroupList,
  APIResourceList,
  APIVersions,
} from '../../../api/types/meta-v1-discovery.ts';
import { PartialObjectMetadata, Status } from '../../../api/types/meta-v1.ts';
import type { Encoded, WatchFraming } from '../../registry/registry.ts';
import type { RequestContext } from '../../request.ts';
import type { Binary } from './negotiation.ts';

/**
 * Protobuf messages by stored bytes. Each stored object is encoded once for all clients, and its message is
 * freed together with its bytes.
 */
const messages = new WeakMap<Buffer, Buffer>();

/** Returns the protobuf message of a stored object. */
export function binaryItem(schema: StructSchema, encoded: Encoded): Buffer {
  const known = messages.get(encoded.bytes);
  if (known !== undefined) return known;
  const message = encodeProto(schema, encoded.object);
  messages.set(encoded.bytes, message);
  return message;
}

/**
 * True if whole objects at a path have a protobuf form, or if the path has no kind: errors always have a
 * protobuf form.
 */
export function isBinary({ kind, info }: RequestContext): boolean {
  const schema = kind && schemaOfPath(kind, info.subresource);
  return schema === undefined || hasProtobuf(schema);
}

/** Returns the protobuf forms of a path. Custom resources have only metadata in protobuf. */
export const binaryOf = (context: RequestContext): Binary => isBinary(context) || 'metadata';

/** Returns the schema of the request and response bodies of a path. */
function schemaOfPath(kind: AnyKind, subresource: string): StructSchema {
  const subresources: Readonly<Record<string, Subresource<never>>> = kind.subresources;
  const found = Object.hasOwn(subresources, subresource) ? subresources[subresource] : undefined;
  return found !== undefined && isVirtualSubresource(found) ? found.schema : kind.schema;
}

/** Returns a stored object in its protobuf envelope. */
export const binaryObject = (schema: StructSchema, typeMeta: TypeMeta, encoded: Encoded): Buffer =>
  wrapEnvelope({ ...typeMeta, raw: binaryItem(schema, encoded) });

/** Returns a list of stored objects in its protobuf envelope. */
export const binaryList = (
  schema: StructSchema,
  { kind, apiVersion }: TypeMeta,
  metadata: object,
  items: readonly Encoded[],
): Buffer =>
  encodeList(
    { kind: `${kind}List`, apiVersion },
    metadata,
    items.map((item) => binaryItem(schema, item)),
  );

/**
 * Encodes any other response at the path of a kind: a Status, metadata alone, or the result of a virtual
 * resource.
 */
export function binaryValue({ kind, info }: RequestContext, value: unknown): Buffer {
  const object = value as Partial<TypeMeta>;
  const own = kind && schemaOfPath(kind, info.subresource);
  const schema = META_TYPES.get(object.kind ?? '') ?? own;
  if (schema === undefined)
    throw new TypeError(`no protobuf form is known for kind ${JSON.stringify(object.kind)}`);
  return encodeObject(schema, object);
}

const META_TYPES: ReadonlyMap<string, StructSchema> = new Map<string, StructSchema>([
  ['Status', Status],
  ['PartialObjectMetadata', PartialObjectMetadata],
  ['PartialObjectMetadataList', listSchemaOf(PartialObjectMetadata)],
  ['APIVersions', APIVersions],
  ['APIGroup', APIGroup],
  ['APIGroupList', APIGroupList],
  ['APIResourceList', APIResourceList],
]);

/**
 * True if a value that belongs to no kind has a protobuf form: discovery documents do, `/version` does not.
 */
export const isBinaryValue = (value: object): boolean =>
  'kind' in value && typeof value.kind === 'string' && META_TYPES.has(value.kind);

const framings = new WeakMap<AnyKind, WatchFraming>();

/**
 * Returns the framing of watches of a kind. Its watchers share the framing, so that an event is encoded once
 * and the frame sent to each watcher.
 */
export function binaryFraming(kind: AnyKind, typeMeta: TypeMeta): WatchFraming {
  const known = framings.get(kind);
  if (known !== undefined) return known;
  let last: { readonly type: string; readonly bytes: Buffer; readonly frame: Buffer } | undefined;
  const framing: WatchFraming = {
    stored(type, encoded) {
      const { bytes } = encoded;
      if (last?.bytes === bytes && last.type === type) return last.frame;
      const frame = encodeWatchFrame({ type, object: binaryObject(kind.schema, typeMeta, encoded) });
      last = { type, bytes, frame };
      return frame;
    },
    made(type, object) {
      const { kind: name = '' } = object as Partial<TypeMeta>;
      const schema = META_TYPES.get(name) ?? kind.schema;
      return encodeWatchFrame({ type, object: encodeObject(schema, object as object) });
    },
  };
  framings.set(kind, framing);
  return framing;
}
