/** Maximum total size of the values in a ConfigMap or Secret, in bytes. */
export const DATA_LIMIT = 1024 * 1024;

/** Error detail for changed data of an immutable object and for resetting `immutable`. */
export const IMMUTABLE_DATA = 'field is immutable when `immutable` is set';

/** Returns the number of bytes that a base64 string encodes. */
export function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
