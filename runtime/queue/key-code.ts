/**
 * Encodes a key as a BullMQ id, which excludes some characters. The prefix keeps the id of the empty key
 * non-empty.
 */
export const encodeKey = (key: string): string => `k${Buffer.from(key).toString('base64url')}`;

export const decodeKey = (id: string): string => Buffer.from(id.slice(1), 'base64url').toString();
