import { StorageError } from '../storage.ts';

/**
 * Format of a value in etcd: format number (1 byte, currently 1), expiry (8 bytes, big-endian, milliseconds
 * since the epoch, 0 for never), value. The revision is not part of the format, as etcd assigns it.
 */
const FORMAT = 1;
const HEAD_BYTES = 9;

export interface Entry {
  readonly value: Buffer;
  readonly expiresAtMs?: number;
}

/** Encodes a value for etcd. `expiresAtMs` is undefined for a value that never expires. */
export function toEntryBytes(value: Buffer, expiresAtMs: number | undefined): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + value.length);
  bytes[0] = FORMAT;
  bytes.writeBigUInt64BE(BigInt(Math.max(0, Math.trunc(expiresAtMs ?? 0))), 1);
  value.copy(bytes, HEAD_BYTES);
  return bytes;
}

/**
 * Decodes a value from etcd. The result is a view of `bytes`, not a copy. Throws ERR_BROKEN_VALUE for another
 * format.
 */
export function fromEntryBytes(key: string, bytes: Buffer): Entry {
  if (bytes[0] !== FORMAT || bytes.length < HEAD_BYTES)
    throw new StorageError(
      'ERR_BROKEN_VALUE',
      `etcd holds a value of format ${bytes[0] ?? 'none'} at ${key}, this version reads format ${FORMAT}: choose a prefix that nothing else writes to`,
    );
  const expiresAtMs = Number(bytes.readBigUInt64BE(1));
  const value = bytes.subarray(HEAD_BYTES);
  return expiresAtMs === 0 ? { value } : { value, expiresAtMs };
}
