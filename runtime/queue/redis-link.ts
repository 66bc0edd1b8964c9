import type { Cluster, Redis } from 'ioredis';
import type { Environment } from '../../base/environment.ts';
import { CodedError, isCoded, messageOf } from '../../base/errors/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { KeyJob, QueueLink, QueueServer } from './queue-server.ts';
import { createRedisChanges } from './redis-changes.ts';
import { clear } from './redis-clear.ts';
import { createRedisTimers } from './redis-timers.ts';
import { createRedisClient, type RedisAddress, type RedisTls } from './redis-url.ts';
import { within } from './within.ts';

interface RedisParts {
  readonly server: QueueServer;
  /** Client whose commands fail at once while Redis is unreachable. */
  readonly producer: Redis | Cluster;
}

/** Connections that the queues of one process share. */
export interface RedisLink extends QueueLink {
  /** Returns the client whose commands fail at once while Redis is unreachable. */
  connection(): Promise<Redis | Cluster>;
}

const REPORT_EVERY_MS = 10_000;
const CHECK_MS = 3_000;
const REVIVE_MS = 200;

/** Loads BullMQ and ioredis. Connects only at `open` or `ready`. */
export async function createRedisLink(
  environment: Environment,
  address: RedisAddress,
  tls: RedisTls = {},
): Promise<RedisLink> {
  const { clock, log } = environment;
  const bullmq = await import('bullmq');
  const clients = new Set<{ disconnect(): void }>();
  const reported = new Map<string, number>();
  let parts: Promise<RedisParts> | undefined;
  let checking: Promise<void> | undefined;
  let closed = false;

  const report = (queue: string, thrown: unknown): void => {
    const err = messageOf(thrown);
    const lastMs = reported.get(err);
    if (lastMs !== undefined && clock.monotonic() - lastMs < REPORT_EVERY_MS) return;
    if (reported.size > 100) reported.clear();
    reported.set(err, clock.monotonic());
    log.warn({ queue, err }, isCoded(thrown, 'ERR_LOOP_BLOCKED') ? 'event loop was blocked' : 'redis error');
  };
  const watch = <C extends Redis | Cluster>(client: C): C => {
    clients.add(client);
    // Every queue waits for the connection with its own listener. Node.js warns above 10 listeners.
    client.setMaxListeners(0);
    client.on('error', (error: Error) => report('', error));
    // When a connection is given up, each pending command adds a listener to its stream.
    client.on('connect', () => {
      if ('stream' in client) client.stream.setMaxListeners(0);
    });
    const duplicate = client.duplicate.bind(client) as (...args: unknown[]) => C;
    client.duplicate = ((...args: unknown[]) => watch(duplicate(...args))) as C['duplicate'];
    return client;
  };
  /**
   * Reconnects a client after its end. A fail-over that is announced while ioredis queries the sentinels ends
   * the client permanently, as if it had been closed.
   */
  const revive = <C extends Redis | Cluster>(client: C): C => {
    const reconnect = (): void => {
      if (!closed) client.connect().catch((thrown: unknown) => report('', thrown));
    };
    client.on('end', () => void (closed || clock.setTimeout(reconnect, REVIVE_MS)));
    return client;
  };
  const open = (): Promise<RedisParts> => {
    parts ??= (async () => {
      const producer = revive(watch(await createRedisClient(address, { failFast: true, tls })));
      // Stores commands until Redis is reachable again. Workers duplicate this client for their blocking
      // calls.
      const consumer = revive(watch(await createRedisClient(address, { failFast: false, tls })));
      return { producer, server: serverOver(bullmq, producer, consumer, environment.random) };
    })();
    return parts;
  };
  return {
    ...environment,
    open: async () => (await open()).server,
    connection: async () => (await open()).producer,
    report,
    async ready(signal) {
      const { producer } = await open();
      await connected(producer, signal);
      checking ??= checkServer(environment, producer).catch((thrown: unknown) => {
        checking = undefined;
        throw thrown;
      });
      await checking;
    },
    close() {
      closed = true;
      for (const client of clients) client.disconnect();
      clients.clear();
    },
  };
}

const serverOver = (
  bullmq: typeof import('bullmq'),
  producer: Redis | Cluster,
  consumer: Redis | Cluster,
  random: Random,
): QueueServer => ({
  queue: (prefix) =>
    new bullmq.Queue<KeyJob>('now', { connection: producer, prefix, streams: { events: { maxLen: 100 } } }),
  worker: (prefix, process, options) =>
    new bullmq.Worker<KeyJob>('now', process, { ...options, connection: consumer, prefix }),
  waiting: () => new bullmq.WaitingError(),
  timers: (prefix) => createRedisTimers(producer, prefix, random),
  changes: (prefix) => createRedisChanges(producer, prefix),
  clear: (prefix) => clear(producer, prefix),
});

function connected(client: Redis | Cluster, signal: AbortSignal): Promise<void> {
  if (client.status === 'ready') return Promise.resolve();
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      client.removeListener('ready', onReady);
      signal.removeEventListener('abort', onAbort);
    };
    const onReady = (): void => {
      settle();
      resolve();
    };
    const onAbort = (): void => {
      settle();
      reject(signal.reason as Error);
    };
    if (signal.aborted) return onAbort();
    client.once('ready', onReady);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

const field = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];

/** Rejects if Redis is older than 6.2. Warns if it may evict keys or does not persist them. */
async function checkServer({ clock, log }: Environment, client: Redis | Cluster): Promise<void> {
  const info = await within(clock, CHECK_MS, client.info() as Promise<string>);
  const version = field(info, 'redis_version') ?? '0';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 6 || (major === 6 && minor < 2))
    throw new CodedError('ERR_REDIS_VERSION', `redis has version ${version}, expected 6.2 or newer`);
  const policy = field(info, 'maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction')
    log.warn({ policy }, 'redis may evict keys of the queue: set maxmemory-policy to noeviction');
  if (field(info, 'aof_enabled') === '0')
    log.warn({}, 'redis has no append-only file: timers of the queue are lost when it restarts');
}
