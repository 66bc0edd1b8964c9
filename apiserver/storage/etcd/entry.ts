import { StorageError } from '../storage.ts';

/**
 * A value as it lies in etcd: format (1 byte, now 1), when it expires (8 bytes, big-endian, milliseconds of wall time, 0
 * for never), value. Its revision is etcd's own.
 */
const FORMAT = 1;
const HEAD_BYTES = 9;

export interface Entry {
  readonly value: Buffer;
  readonly expiresAtMs?: number;
}

export function toEntryBytes(value: Buffer, expiresAtMs: number | undefined): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + value.length);
  bytes[0] = FORMAT;
  bytes.writeBigUInt64BE(BigInt(Math.max(0, Math.trunc(expiresAtMs ?? 0))), 1);
  value.copy(bytes, HEAD_BYTES);
  return bytes;
}

/** Shares the bytes. Throws ERR_BROKEN_VALUE for a value that another program has written. */
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
