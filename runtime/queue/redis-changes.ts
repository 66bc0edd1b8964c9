import type { Cluster, Redis } from 'ioredis';
import { CLAIM_MS, type KeyChanges, REMEMBERED_MS, claimOf } from './queue-server.ts';
import { NOW } from './redis-time.ts';

const FORGET = `for i = 1, 2 do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now - ${REMEMBERED_MS})
  redis.call('PEXPIRE', KEYS[i], ${REMEMBERED_MS})
end
`;

/** Script: KEYS claimed, covered; ARGV changes; returns one number for each change, see `claimOf`. */
const OFFER = `${NOW}
local answer = {}
for i = 1, #ARGV do
  local claimed = redis.call('ZSCORE', KEYS[1], ARGV[i])
  local covered = redis.call('ZSCORE', KEYS[2], ARGV[i])
  if covered then answer[i] = -2 - math.max(0, now - (claimed or now - ${REMEMBERED_MS}))
  elseif claimed and now - claimed < ${CLAIM_MS} then answer[i] = math.max(0, now - claimed)
  else
    redis.call('ZADD', KEYS[1], now, ARGV[i])
    answer[i] = -1
  end
end
${FORGET}
return answer`;

/** Script: KEYS claimed, covered; ARGV changes. */
const CLAIM = `${NOW}
for i = 1, #ARGV do
  redis.call('ZREM', KEYS[2], ARGV[i])
  redis.call('ZADD', KEYS[1], now, ARGV[i])
end
${FORGET}`;

/** Script: KEYS claimed, covered; ARGV changes. It does not delete the claim, whose age is still needed. */
const COVERED = `${NOW}
for i = 1, #ARGV do
  redis.call('ZADD', KEYS[2], now, ARGV[i])
end
${FORGET}`;

/** Creates changes in Redis. `prefix` contains a hash tag, so that a cluster stores both keys on one node. */
export function createRedisChanges(client: Redis | Cluster, prefix: string): KeyChanges {
  const keys = [`${prefix}:claimed`, `${prefix}:covered`];
  return {
    async offer(names) {
      if (names.length === 0) return [];
      const answer = await client.eval(OFFER, 2, ...keys, ...names);
      return Array.isArray(answer) ? answer.map((each) => claimOf(Number(each))) : [];
    },
    async claim(names) {
      if (names.length > 0) await client.eval(CLAIM, 2, ...keys, ...names);
    },
    async covered(names) {
      if (names.length > 0) await client.eval(COVERED, 2, ...keys, ...names);
    },
  };
}
