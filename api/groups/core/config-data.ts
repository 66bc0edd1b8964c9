/** Most bytes of all values of a `ConfigMap` or `Secret` together. */
export const DATA_LIMIT = 1024 * 1024;

/** Error of changed `data` and of a reset `immutable`. */
export const IMMUTABLE_DATA = 'field is immutable when `immutable` is set';

/** Returns the number of bytes that a base64 text encodes. */
export function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
