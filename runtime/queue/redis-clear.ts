import type { Cluster, Redis } from 'ioredis';
import { messageOf } from '../../base/errors/coded.ts';

/** What Redis answers where something else stands at a key than a command is for. */
const FOREIGN = /\bWRONGTYPE\b|value is not (?:an integer|a valid float)/;

/** Whether a command failed because another program has written to a key of ours. */
export const isForeign = (thrown: unknown): boolean => FOREIGN.test(messageOf(thrown));

/** KEYS one of them, by which a cluster finds the node · ARGV pattern of all. It looks at every key that the server has. */
const CLEAR = `for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end`;

/** Takes away every key with the prefix. */
export async function clear(client: Redis | Cluster, prefix: string): Promise<void> {
  const pattern = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}:*`;
  await client.eval(CLEAR, 1, `${prefix}:generation`, pattern);
}
