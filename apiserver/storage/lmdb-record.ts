import { crc32 } from 'node:zlib';
import type { Change } from './storage.ts';
import { StorageError } from './storage.ts';
import type { Transformer } from './transformer.ts';

/**
 * The store on disk is a log: under each write's revision (8 bytes, big-endian, so that LMDB's order is that of the
 * writes) stands what it did. A record: format (1 byte, now 3), CRC-32 of what follows (4), 0 for a put or 1 for a
 * deletion (1), when the value expires (8, milliseconds of wall time, 0 for never), length of the key (4), key (UTF-8), value as the transformer has it;
 * numbers are big-endian. A deletion has no value: it is that of the write before it. LMDB itself would give back a damaged
 * page as it is.
 */
const FORMAT = 3;
const SUM_AT = 1;
const BODY_AT = 5;
const EXPIRY_AT = 6;
const LENGTH_AT = 14;
const HEAD_BYTES = 18;
const PUT = 0;
const DELETE = 1;

/** The LMDB key of the oldest revision that history reaches back to. Sorts before every revision. */
export const COMPACTED = Buffer.from([0]);

export interface LogRecord {
  readonly type: Change['type'];
  readonly key: string;
  /** Empty for a deletion. */
  readonly value: Buffer;
  readonly expiresAtMs?: number;
  /** Of a value that would be stored in another form if it were written again. */
  readonly outdated?: boolean;
  /** Why there is no value, though the record is as it was written: no key decrypts it. */
  readonly error?: StorageError;
}

/** Lies in Node's pool, as records do: both are gone once they are written. */
export function toLogKey(revision: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeBigUInt64BE(BigInt(revision));
  return key;
}

export const fromLogKey = (key: Buffer): number => Number(key.readBigUInt64BE(0));

export function toRecord(
  { type, key, value: plain, expiresAtMs }: LogRecord,
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
  record.write(key, HEAD_BYTES, 'utf8');
  if (type === 'put') value.copy(record, HEAD_BYTES + keyBytes);
  record.writeUInt32BE(crc32(record.subarray(BODY_AT)), SUM_AT);
  return record;
}

const NO_BYTES = Buffer.alloc(0);
const NO_VALUE: Pick<LogRecord, 'value' | 'outdated' | 'error'> = { value: NO_BYTES };

/** Where values read at the opening are put: fewer, larger blocks of memory cost half as much as one for each. */
const BLOCK_BYTES = 64 * 1024;

/**
 * Gives a reader of records that are lent to it. Values are copied; a block is freed when the last value in it has been
 * replaced, so that replaced values hold at most what was read once.
 * The reader throws ERR_STORAGE_UNAVAILABLE for what is no record.
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
    const valueAt = checked(record);
    const expiresAtMs = Number(record.readBigUInt64BE(EXPIRY_AT));
    const type = record[BODY_AT] === PUT ? 'put' : 'delete';
    const key = record.toString('utf8', HEAD_BYTES, valueAt);
    const { value, ...kept } = type === 'put' ? read(key, record.subarray(valueAt)) : NO_VALUE;
    return { type, key, value: keep(value), ...(expiresAtMs === 0 ? {} : { expiresAtMs }), ...kept };
  };
}

/** Where the value of a record begins that is as it was written. */
function checked(record: Buffer): number {
  if (record[0] !== FORMAT)
    throw unreadable(`holds a record of format ${record[0] ?? 'none'}, this version reads format ${FORMAT}`);
  if (record.length < HEAD_BYTES || crc32(record.subarray(BODY_AT)) !== record.readUInt32BE(SUM_AT))
    throw unreadable('is damaged, restore a copy of it: a record is not as it was written');
  return HEAD_BYTES + record.readUInt32BE(LENGTH_AT);
}

const unreadable = (why: string): StorageError =>
  new StorageError('ERR_STORAGE_UNAVAILABLE', `the data directory ${why}`);
