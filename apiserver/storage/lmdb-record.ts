import { createHash } from 'node:crypto';
import type { Stored } from './storage.ts';
import { StorageError } from './storage.ts';

/**
 * A value on disk: format (1 byte, now 1), revision (8, big-endian), length of the key (4, big-endian), key (UTF-8),
 * value. The key stands in the record because an LMDB key has a bound that ours have not.
 */
const FORMAT = 1;
const HEAD_BYTES = 13;

/** Keys of LMDB may have 1978 bytes. */
const LONGEST_KEY_BYTES = 1_900;

/** LMDB keys of our own: below and above any that begins as an ordinary key does. */
export const NEWEST_REVISION = Buffer.from([0]);
const HASHED = Buffer.from([1]);

/** The LMDB key of a key. */
export function toDiskKey(key: string): Buffer {
  const bytes = Buffer.from(key, 'utf8');
  if (bytes.length <= LONGEST_KEY_BYTES && bytes.length > 0 && (bytes[0] ?? 0) > 1) return bytes;
  return Buffer.concat([HASHED, createHash('sha256').update(bytes).digest()]);
}

export function toRecord({ key, value, revision }: Stored): Buffer {
  const keyBytes = Buffer.byteLength(key, 'utf8');
  const record = Buffer.allocUnsafeSlow(HEAD_BYTES + keyBytes + value.length);
  record[0] = FORMAT;
  record.writeBigUInt64BE(BigInt(revision), 1);
  record.writeUInt32BE(keyBytes, 9);
  record.write(key, HEAD_BYTES, 'utf8');
  value.copy(record, HEAD_BYTES + keyBytes);
  return record;
}

/** Where values read at the opening are put: fewer, larger blocks of memory cost half as much as one for each. */
const BLOCK_BYTES = 64 * 1024;

/**
 * Gives a reader of records. Values are copied, as LMDB lends its bytes only until the next read; a block is freed when
 * the last value in it has been replaced, so that replaced values hold at most what was read once.
 * The reader throws ERR_STORAGE_UNAVAILABLE for what is no record.
 */
export function createRecordReader(): (record: Buffer) => Stored {
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
  return (record) => {
    const valueAt = record.length < HEAD_BYTES ? Infinity : HEAD_BYTES + record.readUInt32BE(9);
    if (record[0] !== FORMAT || valueAt > record.length)
      throw new StorageError(
        'ERR_STORAGE_UNAVAILABLE',
        `the data directory holds a record of format ${record[0] ?? 'none'}, this version reads format ${FORMAT}`,
      );
    return {
      key: record.toString('utf8', HEAD_BYTES, valueAt),
      value: keep(record.subarray(valueAt)),
      revision: Number(record.readBigUInt64BE(1)),
    };
  };
}

export function toRevisionRecord(revision: number): Buffer {
  const record = Buffer.allocUnsafeSlow(8);
  record.writeBigUInt64BE(BigInt(revision));
  return record;
}

export const fromRevisionRecord = (record: Buffer | undefined): number =>
  record === undefined ? 0 : Number(record.readBigUInt64BE(0));
