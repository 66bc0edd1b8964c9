import { ProtobufError } from './protobuf-error.ts';
import { BYTES, createReader, visitFields } from './wire.ts';
import { BackwardWriter } from './writer.ts';

/** A watch event with an encoded object. */
export interface BinaryWatchEvent {
  readonly type: string;
  /** The object in its envelope. */
  readonly object: Uint8Array;
}

/** Number of bytes of the length prefix of a frame. */
export const FRAME_LENGTH_BYTES = 4;
const TYPE = 1 * 8 + BYTES;
const OBJECT = 2 * 8 + BYTES;
const RAW = 1 * 8 + BYTES;

/**
 * Encodes one frame of a watch: the length in four bytes, big-endian, then a WatchEvent without an envelope.
 * The fields of the WatchEvent are type (1) and object (2). The object is a RawExtension whose field raw (1)
 * is the enveloped object.
 */
export function encodeWatchFrame({ type, object }: BinaryWatchEvent): Buffer {
  const writer = new BackwardWriter();
  writer.bytes(object);
  writer.wrap(RAW, 0);
  writer.wrap(OBJECT, 0);
  const from = writer.size;
  writer.text(type);
  writer.wrap(TYPE, from);
  const length = Buffer.alloc(FRAME_LENGTH_BYTES);
  length.writeUInt32BE(writer.size);
  writer.bytes(length);
  return writer.finish();
}

/** Decodes a whole frame that `encodeWatchFrame` wrote. Throws `ProtobufError`. */
export function decodeWatchFrame(frame: Uint8Array): BinaryWatchEvent {
  const { bytes } = createReader(frame);
  if (bytes.length < FRAME_LENGTH_BYTES || bytes.readUInt32BE() !== bytes.length - FRAME_LENGTH_BYTES)
    throw new ProtobufError(
      'truncated',
      `watch frame of ${bytes.length} bytes does not match its length prefix`,
    );
  const reader = createReader(bytes.subarray(FRAME_LENGTH_BYTES));
  let type = '';
  let object: Uint8Array = new Uint8Array();
  visitFields(reader, reader.bytes.length, (number, wire, end) => {
    if (wire !== BYTES || (number !== 1 && number !== 2)) return false;
    if (number === 1) type = reader.bytes.toString('utf8', reader.at, end);
    else
      visitFields(reader, end, (inner, innerWire, innerEnd) => {
        if (inner !== 1 || innerWire !== BYTES) return false;
        object = reader.bytes.subarray(reader.at, innerEnd);
        return true;
      });
    return true;
  });
  return { type, object };
}
