import type { Cluster, Redis } from 'ioredis';
import { messageOf } from '../../base/errors/index.ts';

/** Pattern of Redis's errors for a command on a value of another type. */
const FOREIGN = /\bWRONGTYPE\b|value is not (?:an integer|a valid float)/;

/** True if a command failed because another program has written to a key of a queue. */
export const isForeign = (thrown: unknown): boolean => FOREIGN.test(messageOf(thrown));

/**
 * Script: KEYS one key, by which a cluster selects the node; ARGV the pattern of the keys to delete. The
 * script scans all keys of the server.
 */
const CLEAR = `for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end`;

/** Deletes every key with the prefix. */
export async function clear(client: Redis | Cluster, prefix: string): Promise<void> {
  const pattern = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}:*`;
  await client.eval(CLEAR, 1, `${prefix}:generation`, pattern);
}
