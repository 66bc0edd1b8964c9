/** A key as an id: BullMQ refuses some texts. The letter before it makes an id of the empty key too. */
export const encodeKey = (key: string): string => `k${Buffer.from(key).toString('base64url')}`;

export const decodeKey = (id: string): string => Buffer.from(id.slice(1), 'base64url').toString();
