export {
  type TypeMeta,
  decodeEnveloped,
  encodeObject,
  encodeProto,
  openEnvelope,
  wrapEnvelope,
} from './envelope.ts';
export { hasProtobuf } from './layout.ts';
export { encodeList, listSchemaOf } from './lists.ts';
export { ProtobufError } from './protobuf-error.ts';
export { FRAME_LENGTH_BYTES, encodeWatchFrame } from './watch-event.ts';
export { BYTES, type Reader, VARINT, createReader, readInt64, visitFields } from './wire.ts';
export { BackwardWriter } from './writer.ts';
