import { EventEmitter } from 'node:events';
import {
  type Command,
  type CommandName,
  type PiecewiseAnswer,
  type Send,
  connectionClosed,
} from './command.ts';
import { notServed } from './job-queue.ts';

/** Decodes the packed arguments of BullMQ's scripts. */
export type Unpack = (packed: Uint8Array) => unknown;

export interface MemoryClientOptions {
  readonly send: Send;
  readonly prefix: string;
  readonly unpack: Unpack;
}

/** Server information that BullMQ requests on each new connection. */
const INFO = 'redis_version:7.2.0\r\n';

/** Names of commands that are forwarded unchanged. The server rejects unsupported ones. */
const SENT =
  'del get hdel hexists hget hgetall hmget hset llen lpos lrange ltrim scan set smembers xadd xread xtrim zcard zrange zrevrange zscore clientList clientInfo'.split(
    ' ',
  );

/**
 * Connection of BullMQ's queues and workers (its `IRedisClient`). It forwards commands to `send` and has no
 * socket. Scripts are sent by name. The connection is open until it is closed; network failures appear as
 * rejections of `send`.
 */
export class MemoryClient extends EventEmitter {
  readonly isCluster = false;
  readonly options = {};
  status = 'ready';
  readonly #options: MemoryClientOptions;
  readonly #keyCounts = new Map<string, number>();
  #ended = new AbortController();

  constructor(options: MemoryClientOptions) {
    super();
    this.#options = options;
    // Each queue and worker adds several listeners to the connection.
    this.setMaxListeners(0);
  }

  connect(): Promise<void> {
    if (this.status === 'end') {
      this.#ended = new AbortController();
      this.status = 'ready';
      this.emit('ready');
    }
    return Promise.resolve();
  }

  disconnect(): void {
    if (this.status === 'end') return;
    this.status = 'end';
    this.#ended.abort();
    queueMicrotask(() => {
      this.emit('close');
      this.emit('end');
    });
  }

  quit(): Promise<string> {
    if (this.status === 'end') return Promise.reject(connectionClosed());
    this.disconnect();
    return Promise.resolve('OK');
  }

  duplicate(): MemoryClient {
    return new MemoryClient(this.#options);
  }

  /** Records the number of keys of a script. The script's source is not needed. */
  defineCommand(name: string, { numberOfKeys }: { readonly numberOfKeys: number }): void {
    this.#keyCounts.set(name, numberOfKeys);
  }

  runCommand(name: string, args: readonly unknown[]): Promise<unknown> {
    return this.ask(this.script(name, args));
  }

  pipeline(): MemoryPipeline {
    return new MemoryPipeline(this);
  }

  multi(): MemoryPipeline {
    return new MemoryPipeline(this);
  }

  bzpopmin(key: string, seconds: number): Promise<unknown> {
    if (this.status === 'end') return Promise.reject(connectionClosed());
    const { signal } = this.#ended;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(connectionClosed());
      signal.addEventListener('abort', onAbort, { once: true });
      this.#options
        .send(this.command('waitForJob', [key, seconds]), signal)
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  info(): Promise<string> {
    return Promise.resolve(INFO);
  }

  clientSetName(): Promise<string> {
    return Promise.resolve('OK');
  }

  scanStream(): never {
    return notServed('streams of keys');
  }

  ask(command: Command): Promise<unknown> {
    return this.status === 'end' ? Promise.reject(connectionClosed()) : this.#options.send(command);
  }

  /** Creates a command from a name and arguments. The server rejects an unsupported name. */
  command(name: string, args: readonly unknown[]): Command {
    return { name: name as CommandName, prefix: this.#options.prefix, args };
  }

  script(name: string, args: readonly unknown[]): Command {
    const count = this.#keyCounts.get(name) ?? 0;
    const plain = args.map((arg) => {
      if (arg instanceof Uint8Array) return this.#options.unpack(arg);
      return arg ?? '';
    });
    const [bare = ''] = name.split(':');
    return this.command(bare, [plain.slice(0, count), ...plain.slice(count)]);
  }
}

/** A list of commands that are sent together. */
export class MemoryPipeline {
  readonly #client: MemoryClient;
  readonly #commands: Command[] = [];

  constructor(client: MemoryClient) {
    this.#client = client;
  }

  runCommand(name: string, args: readonly unknown[]): this {
    this.#commands.push(this.#client.script(name, args));
    return this;
  }

  /** Adds a command for which the pipeline has no method. */
  hold(name: string, args: readonly unknown[]): this {
    this.#commands.push(this.#client.command(name, args));
    return this;
  }

  async exec(): Promise<readonly (readonly [Error | null, unknown])[]> {
    const answers = await this.#client.ask(this.#client.command('pipeline', this.#commands));
    return (answers as PiecewiseAnswer).map(([message, answer]) => [
      message === null ? null : new Error(message),
      answer,
    ]);
  }
}

for (const name of SENT) {
  Object.defineProperty(MemoryClient.prototype, name, {
    value(this: MemoryClient, ...args: readonly unknown[]): Promise<unknown> {
      return this.ask(this.command(name, args));
    },
  });
  Object.defineProperty(MemoryPipeline.prototype, name, {
    value(this: MemoryPipeline, ...args: readonly unknown[]): MemoryPipeline {
      return this.hold(name, args);
    },
  });
}
