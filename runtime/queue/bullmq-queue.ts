import type { Environment } from '../../base/environment.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { QueueLink } from './queue-server.ts';
import { createRedisLink } from './redis-link.ts';
import { createRedisNotices } from './redis-notices.ts';
import { type RedisTls, parseRedisUrl } from './redis-url.ts';
import type { SharedQueueOptions } from './shared-queue-options.ts';
import { SharedQueue } from './shared-queue.ts';
import { within } from './within.ts';
import type { WorkQueueFactory } from './work-queue.ts';

/** Options of `createBullmqQueues`. */
export interface BullmqQueuesOptions extends Environment {
  /** Redis URL in one of the forms of `RedisAddress`. It may contain a password and is never logged. */
  readonly redisUrl: string;
  readonly redisTls?: RedisTls;
  /** First part of all Redis keys. Processes with the same prefix share their keys. Default `work`. */
  readonly prefix?: string;
  /**
   * Time in milliseconds for which `stop` waits for running reconciles before it aborts them. Default 1,500.
   */
  readonly graceMs?: number;
}

/** Time in milliseconds for which startup waits for Redis before it continues without a connection. */
const START_MS = 2_000;

/**
 * Creates queues whose keys many processes share over Redis 6.2 or newer. Only this function imports BullMQ
 * and ioredis, so that a process without Redis does not load them.
 *
 * An unreachable Redis is retried in the background. Rejects with `ERR_REDIS_VERSION` for an older Redis and
 * with `ERR_REDIS_URL` for an invalid URL.
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

/** Creates queues whose keys many processes share over `link`. */
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
