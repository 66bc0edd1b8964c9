/** `ConfigMap` and `Secret`: all values of one object together. */
export const DATA_LIMIT = 1024 * 1024;

/** Said of `data` and `immutable` alike. */
export const IMMUTABLE_DATA = 'field is immutable when `immutable` is set';

/** Length in bytes of what a base64 text holds. */
export function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
