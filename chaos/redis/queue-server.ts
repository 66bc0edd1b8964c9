import type { ConnectionOptions } from 'bullmq';
import type { Random } from '../../base/random/index.ts';
import {
  type KeyChanges,
  type KeyJob,
  type KeyTimers,
  type QueueServer,
  claimOf,
} from '../../runtime/queue/index.ts';
import { type Bullmq, requireOfBullmq } from './bullmq-scope.ts';
import type { KeysName, Send } from './command.ts';
import type { SentTaken, SentTimer } from './keys-commands.ts';
import { MemoryClient, type Unpack } from './memory-client.ts';

export interface MemoryQueueServerOptions {
  /** Instance of BullMQ that the process uses. */
  readonly bullmq: Bullmq;
  readonly send: Send;
  readonly random: Random;
}

/**
 * Creates the connection of one process to the Redis server behind `send`. It has the interface of the real
 * connection.
 */
export function createMemoryQueueServer({ bullmq, send, random }: MemoryQueueServerOptions): QueueServer {
  const { unpack } = requireOfBullmq('msgpackr') as { readonly unpack: Unpack };
  // BullMQ accepts any client that has the methods it calls. The type also lists methods that are not
  // supported.
  const connection = (prefix: string): ConnectionOptions =>
    new MemoryClient({ send, prefix, unpack }) as unknown as ConnectionOptions;
  return {
    queue: (prefix) =>
      new bullmq.Queue<KeyJob>('now', {
        connection: connection(prefix),
        prefix,
        streams: { events: { maxLen: 100 } },
      }),
    worker: (prefix, process, options) =>
      new bullmq.Worker<KeyJob>('now', process, { ...options, connection: connection(prefix), prefix }),
    waiting: () => new bullmq.WaitingError(),
    timers: (prefix) => timersOver(asking(send, prefix), random),
    changes: (prefix) => changesOver(asking(send, prefix)),
    clear: async (prefix) => void (await send({ name: 'clear', prefix, args: [] })),
  };
}

type Ask = (name: KeysName, args: readonly unknown[]) => Promise<unknown>;

const asking =
  (send: Send, prefix: string): Ask =>
  (name, args) =>
    send({ name, prefix, args });

const timersOver = (ask: Ask, random: Random): KeyTimers => ({
  async add(timers) {
    const sent = timers.map(({ key, delayMs, retries }): SentTimer => [key, delayMs, retries]);
    if (sent.length > 0) await ask('timers.add', sent);
  },
  async take(limit) {
    const { due, nextMs, generation } = (await ask('timers.take', [limit, random.uuid()])) as SentTaken;
    return {
      due: due.map(([key, retries, isAgain]) => ({ key, retries, isAgain })),
      nextMs: nextMs < 0 ? undefined : nextMs,
      generation,
    };
  },
  async done(keys) {
    if (keys.length > 0) await ask('timers.done', keys);
  },
  size: async () => Number(await ask('timers.size', [])),
});

const changesOver = (ask: Ask): KeyChanges => ({
  async offer(names) {
    if (names.length === 0) return [];
    return ((await ask('changes.offer', names)) as readonly number[]).map(claimOf);
  },
  async claim(names) {
    if (names.length > 0) await ask('changes.claim', names);
  },
  async covered(names) {
    if (names.length > 0) await ask('changes.covered', names);
  },
});
