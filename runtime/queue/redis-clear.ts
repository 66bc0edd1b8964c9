import type { Cluster, Redis } from 'ioredis';
import { messageOf } from '../../base/errors/index.ts';

/** Error of Redis for a command on a key of another data type. */
const FOREIGN = /\bWRONGTYPE\b|value is not (?:an integer|a valid float)/;

/** True if a command failed because another program has written to one of our keys. */
export const isForeign = (thrown: unknown): boolean => FOREIGN.test(messageOf(thrown));

/**
 * KEYS one key, by which a cluster finds the node · ARGV pattern of all keys. It scans every key of the
 * server.
 */
const CLEAR = `for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end`;

/** Deletes every key with the prefix. */
export async function clear(client: Redis | Cluster, prefix: string): Promise<void> {
  const pattern = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}:*`;
  await client.eval(CLEAR, 1, `${prefix}:generation`, pattern);
}
