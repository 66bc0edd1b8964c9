/** Encodes a key as a BullMQ ID, which excludes some characters and may not be empty. */
export const encodeKey = (key: string): string => `k${Buffer.from(key).toString('base64url')}`;

export const decodeKey = (id: string): string => Buffer.from(id.slice(1), 'base64url').toString();
