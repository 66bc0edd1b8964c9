import type { Cluster, Redis } from 'ioredis';
import { CLAIM_MS, type Claim, type KeyChanges, REMEMBERED_MS } from './queue-server.ts';
import { NOW } from './redis-time.ts';

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

/** In Redis. `prefix` has a hash tag, so that a cluster keeps both keys on one node. */
export function createRedisChanges(client: Redis | Cluster, prefix: string): KeyChanges {
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
