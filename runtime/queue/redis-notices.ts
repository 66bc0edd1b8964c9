import type { RedisLink } from './redis-link.ts';
import { NOW } from './redis-time.ts';
import type { Notice, NoticeBoard } from './work-queue.ts';

const LASTS_MS = 15_000;

/** Script: KEYS times, texts; ARGV author, text; returns author, text and age of each notice. */
const EXCHANGE = `${NOW}
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
for _, expired in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - ${LASTS_MS})) do
  redis.call('ZREM', KEYS[1], expired)
  redis.call('HDEL', KEYS[2], expired)
end
for i = 1, 2 do redis.call('PEXPIRE', KEYS[i], ${LASTS_MS}) end
local answer = {}
local times = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #times, 2 do
  answer[#answer + 1] = times[i]
  answer[#answer + 1] = redis.call('HGET', KEYS[2], times[i]) or ''
  answer[#answer + 1] = math.max(0, now - times[i + 1])
end
return answer`;

/** Script: KEYS times, texts; ARGV author. */
const REMOVE = `redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])`;

/**
 * Creates a notice board in Redis. `prefix` contains a hash tag, so that a cluster stores both keys on one
 * node.
 */
export function createRedisNotices(link: RedisLink, prefix: string): NoticeBoard {
  const keys = [`${prefix}:heard`, `${prefix}:texts`];
  return {
    lastsMs: LASTS_MS,
    async exchange(author, text) {
      const producer = await link.connection();
      const answer = (await producer.eval(EXCHANGE, 2, ...keys, author, text)) as unknown[];
      const notices: Notice[] = [];
      for (let i = 0; i < answer.length; i += 3)
        notices.push({
          author: String(answer[i]),
          text: String(answer[i + 1]),
          ageMs: Number(answer[i + 2]),
        });
      return notices;
    },
    async remove(author) {
      const producer = await link.connection();
      await producer.eval(REMOVE, 2, ...keys, author);
    },
  };
}
