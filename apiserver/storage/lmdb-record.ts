import { crc32 } from 'node:zlib';
import type { Change } from './storage.ts';
import { StorageError } from './storage.ts';
import type { Transformer } from './transformer.ts';

/**
 * The store on disk is a log. A key is the revision of a write (8 bytes, big-endian, so that LMDB's order is
 * the order of writes), a value the record of that write. LMDB does not detect damaged records, so each
 * record has a checksum. Layout, with big-endian numbers:
 *
 * | bytes | part                                                      |
 * | ----- | --------------------------------------------------------- |
 * | 1     | format, currently 4; 3 can also be read                   |
 * | 4     | CRC-32 of what follows, seeded with the format (3: with 0)|
 * | 1     | 0 for a put, 1 for a deletion                             |
 * | 8     | expiry, milliseconds since the epoch, 0 for never         |
 * | 4     | length of the key                                         |
 * | 8     | revision (3: missing)                                     |
 * |       | key (UTF-8)                                               |
 * |       | value as encoded by the transformer; empty for a deletion |
 */
const FORMAT = 4;
const OLD_FORMAT = 3;
const SUM_AT = 1;
const BODY_AT = 5;
const EXPIRY_AT = 6;
const LENGTH_AT = 14;
const REVISION_AT = 18;
const HEAD_BYTES = 26;
const OLD_HEAD_BYTES = REVISION_AT;
const KEY_BYTES = 8;
const FLOOR_BYTES = KEY_BYTES + 4;
const PUT = 0;
const DELETE = 1;

/** LMDB key of the oldest revision in the history. The key sorts before every revision. */
export const COMPACTED = Buffer.from([0]);

/** Decoded record of the log. */
export interface LogRecord {
  /** Revision of the write. Absent from records of format 3. */
  readonly revision: number | undefined;
  readonly type: Change['type'];
  readonly key: string;
  /** Value of a put; empty for a deletion. */
  readonly value: Buffer;
  readonly expiresAtMs?: number;
  /** True if writing the value again would store it in another form. */
  readonly outdated?: boolean;
  /** Set if the record is intact but no encryption key decrypts its value. */
  readonly error?: StorageError;
}

/** Encodes a revision as a key. The key is allocated from Node's buffer pool, as it is short-lived. */
export function toLogKey(revision: number): Buffer {
  const key = Buffer.allocUnsafe(KEY_BYTES);
  key.writeBigUInt64BE(BigInt(revision));
  return key;
}

export const fromLogKey = (key: Buffer): number => Number(key.readBigUInt64BE(0));

/** Encodes the value of `COMPACTED`: the revision and its CRC-32. Earlier versions wrote no CRC-32. */
export function toFloor(revision: number): Buffer {
  const floor = Buffer.allocUnsafe(FLOOR_BYTES);
  toLogKey(revision).copy(floor);
  floor.writeUInt32BE(crc32(floor.subarray(0, KEY_BYTES)), KEY_BYTES);
  return floor;
}

/** Decodes the value of `COMPACTED`. Throws ERR_STORAGE_UNAVAILABLE if the checksum does not match. */
export function fromFloor(floor: Buffer): number {
  const isRight =
    floor.length === KEY_BYTES ||
    (floor.length === FLOOR_BYTES && crc32(floor.subarray(0, KEY_BYTES)) === floor.readUInt32BE(KEY_BYTES));
  if (!isRight) throw damagedRecord('the checksum of the history floor does not match');
  return fromLogKey(floor);
}

/**
 * Encodes a change as a record. The value is encoded by the transformer, and the checksum includes all
 * fields.
 */
export function toRecord(
  { type, key, value: plain, revision, expiresAtMs }: Change,
  transformer: Transformer,
): Buffer {
  const value = type === 'put' ? transformer.toStorage(key, plain) : plain;
  const keyBytes = Buffer.byteLength(key, 'utf8');
  const valueBytes = type === 'put' ? value.length : 0;
  const record = Buffer.allocUnsafe(HEAD_BYTES + keyBytes + valueBytes);
  record[0] = FORMAT;
  record[BODY_AT] = type === 'put' ? PUT : DELETE;
  record.writeBigUInt64BE(BigInt(Math.max(0, Math.trunc(expiresAtMs ?? 0))), EXPIRY_AT);
  record.writeUInt32BE(keyBytes, LENGTH_AT);
  record.writeUInt32BE(Math.floor(revision / 2 ** 32), REVISION_AT);
  record.writeUInt32BE(revision >>> 0, REVISION_AT + 4);
  record.write(key, HEAD_BYTES, 'utf8');
  if (type === 'put') value.copy(record, HEAD_BYTES + keyBytes);
  record.writeUInt32BE(crc32(record.subarray(BODY_AT), FORMAT), SUM_AT);
  return record;
}

const NO_BYTES = Buffer.alloc(0);
const NO_VALUE: Pick<LogRecord, 'value' | 'outdated' | 'error'> = { value: NO_BYTES };

/**
 * Size, in bytes, of the memory blocks for values read while a store is opened. A few large blocks cost half
 * as much as one allocation for each value.
 */
const BLOCK_BYTES = 64 * 1024;

/**
 * Creates a reader of records. The bytes of a record need to be valid only during the call. Values are copied
 * into shared blocks; a block is freed when its last value is replaced.
 *
 * The reader throws ERR_STORAGE_UNAVAILABLE for a damaged record.
 */
export function createRecordReader(transformer: Transformer): (record: Buffer) => LogRecord {
  let block = Buffer.alloc(0);
  let used = 0;
  const keep = (bytes: Buffer): Buffer => {
    if (bytes.length > BLOCK_BYTES / 4) {
      const own = Buffer.allocUnsafeSlow(bytes.length);
      bytes.copy(own);
      return own;
    }
    if (used + bytes.length > block.length) {
      block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      used = 0;
    }
    const kept = block.subarray(used, used + bytes.length);
    used += bytes.copy(kept);
    return kept;
  };
  const read = (key: string, stored: Buffer): Pick<LogRecord, 'value' | 'outdated' | 'error'> => {
    try {
      const { value, isStale } = transformer.fromStorage(key, stored);
      return isStale ? { value, outdated: true } : { value };
    } catch (error) {
      if (error instanceof StorageError) return { value: NO_BYTES, error };
      throw error;
    }
  };
  return (record) => {
    const keyAt = checked(record);
    const valueAt = keyAt + record.readUInt32BE(LENGTH_AT);
    const expiresAtMs = Number(record.readBigUInt64BE(EXPIRY_AT));
    const revision = keyAt === HEAD_BYTES ? Number(record.readBigUInt64BE(REVISION_AT)) : undefined;
    const type = record[BODY_AT] === PUT ? 'put' : 'delete';
    const key = record.toString('utf8', keyAt, valueAt);
    const { value, ...kept } = type === 'put' ? read(key, record.subarray(valueAt)) : NO_VALUE;
    return {
      revision,
      type,
      key,
      value: keep(value),
      ...(expiresAtMs === 0 ? {} : { expiresAtMs }),
      ...kept,
    };
  };
}

/** Checks the format and checksum of a record, and returns the offset of its key. */
function checked(record: Buffer): number {
  const format = record[0];
  if (format !== FORMAT && format !== OLD_FORMAT)
    throw unreadable(
      `is damaged or of another version: it holds a record of format ${format ?? 'none'}, this version reads ${OLD_FORMAT} and ${FORMAT}`,
    );
  const [headBytes, seed] = format === FORMAT ? [HEAD_BYTES, FORMAT] : [OLD_HEAD_BYTES, 0];
  if (record.length < headBytes || crc32(record.subarray(BODY_AT), seed) !== record.readUInt32BE(SUM_AT))
    throw damagedRecord('the checksum of a record does not match');
  return headBytes;
}

/** Returns an ERR_STORAGE_UNAVAILABLE that states the remedy. */
export const damagedRecord = (what: string): StorageError =>
  unreadable(`is damaged, restore a copy of it: ${what}`);

const unreadable = (why: string): StorageError =>
  new StorageError('ERR_STORAGE_UNAVAILABLE', `the data directory ${why}`);
