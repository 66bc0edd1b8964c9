import type { Environment } from '../../base/environment.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { QueueLink } from './queue-server.ts';
import { createRedisLink } from './redis-link.ts';
import { createRedisNotices } from './redis-notices.ts';
import { type RedisTls, parseRedisUrl } from './redis-url.ts';
import { SharedQueue, type SharedQueueOptions } from './shared-queue.ts';
import { within } from './within.ts';
import type { WorkQueueFactory } from './work-queue.ts';

/** Options of `createBullmqQueues`. */
export interface BullmqQueuesOptions extends Environment {
  /** Redis URL in one of the forms of `RedisAddress`. It may contain a password and is never logged. */
  readonly redisUrl: string;
  readonly redisTls?: RedisTls;
  /** First part of all Redis keys; managers with the same prefix share their work. Default `work`. */
  readonly prefix?: string;
  /** How long `stop` waits for running reconciles before it aborts them, in milliseconds. Default 1,500. */
  readonly graceMs?: number;
}

/** How long startup waits for Redis before it continues without, in milliseconds. */
const START_MS = 2_000;

/**
 * Creates queues whose keys many processes share over Redis 6.2 or newer. BullMQ and ioredis are loaded here
 * and nowhere else, so that a process without Redis does not pay for them.
 *
 * An unreachable Redis is retried in the background. An older Redis is refused with `ERR_REDIS_VERSION`, an
 * invalid URL with `ERR_REDIS_URL`.
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
    log.warn({ err: messageOf(thrown) }, 'redis is unreachable; keys are held in process until it answers');
  }
  return {
    ...createSharedQueues(link, { prefix, graceMs }),
    notices: createRedisNotices(link, `{${prefix}:replicas}`),
  };
}

/** Creates queues whose keys many processes share, over any `QueueLink`. */
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
