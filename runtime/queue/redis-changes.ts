import type { Cluster, Redis } from 'ioredis';
import { NOW } from './redis-time.ts';

/**
 * Which process enqueues a change, in Redis. Every process offers each change it sees; the first has the claim and
 * enqueues it, the others keep the change in mind until a pass covers it: one that began in a process that had seen it.
 */
export interface RedisChanges {
  offer(names: readonly string[]): Promise<readonly Claim[]>;
  covered(names: readonly string[]): Promise<void>;
}

/** `yours` to enqueue, `covered` by a pass, or claimed by another process so many milliseconds ago. */
export type Claim = 'yours' | 'covered' | number;

/** A claim holds this long; then the next that asks has it, milliseconds. */
export const CLAIM_MS = 2_000;
/** A process that sees a change this much later than another brings its keys up a second time, milliseconds. */
const REMEMBERED_MS = 15_000;

const FORGET = `for i = 1, 2 do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now - ${REMEMBERED_MS})
  redis.call('PEXPIRE', KEYS[i], ${REMEMBERED_MS})
end
`;

/** KEYS claimed, covered · ARGV change, … · returns for each -1 yours, -2 covered, or the age of the claim. */
const OFFER = `${NOW}
local answer = {}
for i = 1, #ARGV do
  local claimed = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if redis.call('ZSCORE', KEYS[2], ARGV[i]) then answer[i] = -2
  elseif claimed and now - claimed < ${CLAIM_MS} then answer[i] = math.max(0, now - claimed)
  else
    redis.call('ZADD', KEYS[1], now, ARGV[i])
    answer[i] = -1
  end
end
${FORGET}
return answer`;

/** KEYS claimed, covered · ARGV change, … */
const COVERED = `${NOW}
for i = 1, #ARGV do
  redis.call('ZREM', KEYS[1], ARGV[i])
  redis.call('ZADD', KEYS[2], now, ARGV[i])
end
${FORGET}`;

const toClaim = (answer: unknown): Claim => {
  const number = Number(answer);
  if (number === -1) return 'yours';
  return number === -2 ? 'covered' : number;
};

/** `prefix` has a hash tag, so that a cluster keeps both keys on one node. */
export function createRedisChanges(client: Redis | Cluster, prefix: string): RedisChanges {
  const keys = [`${prefix}:claimed`, `${prefix}:covered`];
  return {
    async offer(names) {
      if (names.length === 0) return [];
      const answer = await client.eval(OFFER, 2, ...keys, ...names);
      return Array.isArray(answer) ? answer.map(toClaim) : [];
    },
    async covered(names) {
      if (names.length > 0) await client.eval(COVERED, 2, ...keys, ...names);
    },
  };
}
