import type { Cluster, Redis } from 'ioredis';
import type { Random } from '../../base/random/index.ts';
import { type KeyTimers, TAKE_LEASE_MS } from './queue-server.ts';
import { NOW } from './redis-time.ts';

/** Script: KEYS due, retries; ARGV key, delay and retries of each timer. */
const ADD = `${NOW}
for i = 1, #ARGV, 3 do
  redis.call('ZADD', KEYS[1], 'LT', now + tonumber(ARGV[i + 1]), ARGV[i])
  if tonumber(ARGV[i + 2]) > 0 then redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 2]) end
end`;

/**
 * Script: KEYS due, retries, taken, generation; ARGV limit, lease, new generation. Returns the milliseconds
 * to the next timer or -1, the generation, and for each taken key: the key, its retries, and 1 if it was
 * taken before.
 */
const TAKE = `${NOW}
redis.call('SET', KEYS[4], ARGV[3], 'NX')
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
local answer = { -1, redis.call('GET', KEYS[4]) .. '.' .. run }
local function give(key, again)
  redis.call('ZADD', KEYS[3], now, key)
  answer[#answer + 1] = key
  answer[#answer + 1] = redis.call('HGET', KEYS[2], key) or '0'
  answer[#answer + 1] = again
end
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now - tonumber(ARGV[2]), 'LIMIT', 0, ARGV[1])) do
  give(key, 1)
end
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])) do
  redis.call('ZREM', KEYS[1], key)
  give(key, 0)
end
local next = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if next[2] then answer[1] = math.max(0, math.ceil(next[2] - now)) end
return answer`;

/** Script: KEYS due, retries, taken; ARGV keys. */
const DONE = `for i = 1, #ARGV do
  redis.call('ZREM', KEYS[3], ARGV[i])
  if not redis.call('ZSCORE', KEYS[1], ARGV[i]) then redis.call('HDEL', KEYS[2], ARGV[i]) end
end`;

/**
 * Creates timers in Redis (`ZADD LT`). `prefix` contains a hash tag, so that a cluster stores all keys on one
 * node.
 */
export function createRedisTimers(
  client: Redis | Cluster,
  prefix: string,
  random: Random,
  leaseMs: number = TAKE_LEASE_MS,
): KeyTimers {
  const keys = [`${prefix}:timer`, `${prefix}:timer-retries`, `${prefix}:timer-taken`];
  const takeKeys = [...keys, `${prefix}:generation`];
  return {
    async add(timers) {
      if (timers.length === 0) return;
      const args = timers.flatMap(({ key, delayMs, retries }) => [
        key,
        String(Math.ceil(delayMs)),
        String(retries),
      ]);
      await client.eval(ADD, 2, ...keys.slice(0, 2), ...args);
    },
    async take(limit) {
      const args = [String(limit), String(leaseMs), random.uuid()];
      const answer = (await client.eval(TAKE, 4, ...takeKeys, ...args)) as unknown[];
      const due = [];
      for (let i = 2; i < answer.length; i += 3)
        due.push({
          key: String(answer[i]),
          retries: Number(answer[i + 1]),
          isAgain: Number(answer[i + 2]) === 1,
        });
      const nextMs = Number(answer[0]);
      return { due, nextMs: nextMs < 0 ? undefined : nextMs, generation: String(answer[1]) };
    },
    async done(taken) {
      if (taken.length > 0) await client.eval(DONE, 3, ...keys, ...taken);
    },
    size: () => client.zcard(keys[0] ?? ''),
  };
}
