import type { Environment } from '../../base/environment.ts';
import { CodedError, messageOf } from '../../base/errors/coded.ts';
import type { QueueLink } from './queue-server.ts';
import { createRedisLink } from './redis-link.ts';
import { createRedisNotices } from './redis-notices.ts';
import { type RedisTls, parseRedisUrl } from './redis-url.ts';
import { SharedQueue, type SharedQueueOptions } from './shared-queue.ts';
import { within } from './within.ts';
import type { WorkQueueFactory } from './work-queue.ts';

export interface BullmqQueuesOptions extends Environment {
  /** As `RedisAddress` says; may hold a password and is never logged. */
  readonly redisUrl: string;
  readonly redisTls?: RedisTls;
  /** First part of all keys in Redis; managers with the same share their work. Default `work`. */
  readonly prefix?: string;
  /** How long `stop` waits for the passes in work before it aborts them, milliseconds. Default 1 500. */
  readonly graceMs?: number;
}

/** How long the start waits for Redis before it goes on without, milliseconds. */
const START_MS = 2_000;

/**
 * Queues whose keys many processes share, over Redis 6.2 or newer. BullMQ and ioredis are loaded here and nowhere
 * else. A Redis that cannot be reached is waited for in the background; one that is too old is refused with
 * `ERR_REDIS_VERSION`, an address that is none with `ERR_REDIS_URL`.
 */
export async function createBullmqQueues(options: BullmqQueuesOptions): Promise<WorkQueueFactory> {
  const { clock, random, log, prefix = 'work', graceMs = 1_500 } = options;
  const link = await createRedisLink(
    { clock, random, log },
    parseRedisUrl(options.redisUrl),
    options.redisTls,
  );
  const started = new AbortController();
  try {
    await within(clock, START_MS, link.ready(started.signal));
  } catch (thrown) {
    started.abort(thrown);
    if (thrown instanceof CodedError && thrown.code === 'ERR_REDIS_VERSION') {
      link.close();
      throw thrown;
    }
    log.warn({ err: messageOf(thrown) }, 'redis cannot be reached; keys are held in process until it can');
  }
  return {
    ...createSharedQueues(link, { prefix, graceMs }),
    notices: createRedisNotices(link, `{${prefix}:replicas}`),
  };
}

/** Queues whose keys many processes share, over any server that there is a way to. */
export function createSharedQueues(link: QueueLink, options: SharedQueueOptions): WorkQueueFactory {
  const queues: SharedQueue[] = [];
  return {
    create(name, queueOptions = {}) {
      const queue = new SharedQueue(name, link, { ...queueOptions, ...options });
      queues.push(queue);
      return queue;
    },
    async close() {
      await Promise.all(queues.splice(0).map((queue) => queue.stop()));
      link.close();
    },
  };
}
