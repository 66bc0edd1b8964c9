import type { Environment } from '../../base/environment.ts';
import { CodedError } from '../../base/errors/index.ts';
import { createSeededRandom } from '../../base/random/index.ts';
import type { WorkQueueFactory } from '../../runtime/index.ts';
import { type QueueLink, type QueueServer, createSharedQueues } from '../../runtime/queue/index.ts';
import { loadBullmq } from '../redis/bullmq-scope.ts';
import { type Command, connectionClosed } from '../redis/command.ts';
import { type MemoryRedis, createMemoryRedis } from '../redis/memory-redis.ts';
import { createMemoryQueueServer } from '../redis/queue-server.ts';
import type { CommandFault, RedisFault } from './fault-kinds.ts';
import type { Faults } from './faults.ts';
import { type Process, type Timeline, createNode, createProcess } from './timeline.ts';

/** The Redis server over which the controller managers of a world share keys, with its network. */
export interface RedisNetwork {
  /** Creates the work queues of a process. */
  queues(process: Process, environment: Environment): WorkQueueFactory;
  /** Breaks the connections of a process permanently. */
  cut(process: Process): void;
  disturb(fault: RedisFault): void;
  /** Ends all partitions and outages. */
  heal(): void;
}

export interface RedisNetworkOptions {
  readonly timeline: Timeline;
  readonly faults: Faults;
  /** Wall time at the start, in milliseconds since the epoch. */
  readonly startMs: number;
  readonly seed: number;
  /** Returns the running processes. */
  readonly processes: () => readonly Process[];
  /** Replaces the simulated Redis and BullMQ in negative tests. The default changes nothing. */
  readonly queueServer?: ((server: QueueServer) => QueueServer) | undefined;
}

/** Key prefix, the same as in the program. */
const PREFIX = 'work';
const GRACE_MS = 1_500;
/**
 * Polling intervals in milliseconds. They are longer than in production, because otherwise virtual hours
 * would consist mostly of polls.
 */
const IDLE = { pollMs: 5_000, stalledCheckMs: 10_000, blockMs: 60_000 };
/** Delay in milliseconds until a process notices that it cannot connect. */
const UNREACHABLE_MS = 200;

const asIs = (server: QueueServer): QueueServer => server;

export const createRedisNetwork = (options: RedisNetworkOptions): RedisNetwork =>
  new SimulatedRedisNetwork(options);

/** A command in flight. */
interface Call {
  readonly process: Process;
  readonly command: Command;
  /** Cancels the server's wait; undefined if the command does not wait. */
  readonly leaving: AbortController | undefined;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (thrown: Error) => void;
}

class SimulatedRedisNetwork implements RedisNetwork {
  readonly #options: RedisNetworkOptions;
  readonly #redis: MemoryRedis;
  /** Commands in flight by process; crashed processes have no entry. */
  readonly #calls = new Map<Process, Set<Call>>();
  readonly #partitions = new Map<Process, number>();
  #isDown = false;
  #lives = 0;

  constructor(options: RedisNetworkOptions) {
    this.#options = options;
    const { clock } = createProcess(createNode('redis'), options.timeline, options.startMs);
    this.#redis = createMemoryRedis(clock, createSeededRandom(options.seed));
  }

  queues(process: Process, environment: Environment): WorkQueueFactory {
    this.#calls.set(process, new Set());
    const { queueServer = asIs } = this.#options;
    const server = queueServer(
      createMemoryQueueServer({
        bullmq: loadBullmq(process.clock, createSeededRandom(this.#options.seed + ++this.#lives)),
        random: environment.random,
        send: (command, signal) => this.#send(process, command, signal),
      }),
    );
    const isReachable = (): boolean => this.#isReachable(process);
    const link: QueueLink = {
      ...environment,
      async ready(signal) {
        signal.throwIfAborted();
        if (!isReachable()) throw connectionClosed();
      },
      open: () => Promise.resolve(server),
      report: (_queue, thrown) => this.#report(thrown),
      close: () => this.cut(process),
    };
    return createSharedQueues(link, { prefix: PREFIX, graceMs: GRACE_MS, idle: IDLE });
  }

  cut(process: Process): void {
    for (const call of this.#calls.get(process) ?? []) giveUp(call);
    this.#calls.delete(process);
    this.#partitions.delete(process);
  }

  disturb(fault: RedisFault): void {
    const { timeline, faults } = this.#options;
    switch (fault) {
      case 'redis-flush':
        return this.#redis.flush();
      case 'redis-restart':
        this.#isDown = true;
        this.#redis.restart();
        timeline.plan(faults.lasting('redis is down', 100, 60_000), 'start redis', () => {
          this.#isDown = false;
        });
        return undefined;
      case 'redis-failover': {
        // The replica has the state of this moment. When it takes over, the writes in between are lost.
        const replica = this.#redis.snapshot();
        timeline.plan(faults.lasting('redis lags', 1, 5_000), 'redis fails over', () => {
          if (!faults.active) return;
          this.#redis.restore(replica);
          this.#redis.restart();
        });
        return undefined;
      }
      case 'redis-partition': {
        const process = faults.pick('redis partition', this.#options.processes());
        if (process === undefined) return undefined;
        const untilMs = timeline.nowMs + faults.lasting('redis partition', 1_000, 300_000);
        this.#partitions.set(process, untilMs);
        return undefined;
      }
    }
  }

  heal(): void {
    this.#partitions.clear();
    this.#isDown = false;
  }

  /**
   * Fails the run if a command is not supported by the simulated Redis. The queue alone would only log the
   * error.
   */
  #report(thrown: unknown): void {
    if (!(thrown instanceof CodedError) || thrown.code !== 'ERR_NOT_SERVED') return;
    this.#options.timeline.plan(0, 'not served', () => {
      throw thrown;
    });
  }

  #isReachable(process: Process): boolean {
    return !this.#isDown && (this.#partitions.get(process) ?? 0) <= this.#options.timeline.nowMs;
  }

  // Avoids `AbortSignal.any`, which leaks: the process would keep a listener, and with it the whole world, in
  // memory.
  #send(process: Process, command: Command, signal: AbortSignal | undefined): Promise<unknown> {
    const calls = this.#calls.get(process);
    if (calls === undefined || signal?.aborted === true) return Promise.reject(connectionClosed());
    return new Promise((resolve, reject) => {
      const onAbort = (): void => giveUp(call);
      const ending =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          calls.delete(call);
          signal?.removeEventListener('abort', onAbort);
          settle(value);
        };
      const call: Call = {
        process,
        command,
        leaving: command.name === 'waitForJob' ? new AbortController() : undefined,
        resolve: ending(resolve),
        reject: ending(reject),
      };
      calls.add(call);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#post(call);
    });
  }

  /** Sends a command to Redis, with its fault if one is injected. */
  #post(call: Call): void {
    const { faults } = this.#options;
    const what = `redis ${call.process.name} ${call.command.name}`;
    const fault = faults.strike<CommandFault>('command', `${call.process.name} ${call.command.name}`);
    const delayMs = faults.delay(what);
    if (!this.#isReachable(call.process)) return this.#fail(call, UNREACHABLE_MS);
    switch (fault) {
      case 'redis-refused':
        return this.#fail(call, delayMs);
      case 'redis-slow':
        return this.#carry(call, delayMs + faults.lasting(what, 100, 60_000), false);
      case 'redis-lost-response':
        return this.#carry(call, delayMs, true);
      case undefined:
        return this.#carry(call, delayMs, false);
    }
  }

  /**
   * Delivers a command to Redis after a delay in milliseconds. Without a delay, the command runs in the same
   * step.
   */
  #carry(call: Call, delayMs: number, isLost: boolean): void {
    if (delayMs <= 0) return this.#execute(call, isLost);
    this.#options.timeline.plan(delayMs, `redis ${call.command.name}`, () => this.#execute(call, isLost));
  }

  #execute(call: Call, isLost: boolean): void {
    if (!this.#isReachable(call.process)) return this.#fail(call, 0);
    let answer: unknown;
    try {
      answer = this.#redis.execute(call.command, call.leaving?.signal);
    } catch (thrown) {
      return isLost ? this.#fail(call, 0) : this.#settle(call, () => call.reject(thrown as Error));
    }
    if (answer instanceof Promise)
      answer.then(
        (late) =>
          // The reply is lost although the server has already handed out the job: no reply passes a
          // partition.
          isLost || !this.#isReachable(call.process)
            ? this.#fail(call, 0)
            : this.#answer(call, 0, () => call.resolve(late)),
        (thrown: unknown) => this.#answer(call, 0, () => call.reject(thrown as Error)),
      );
    else if (isLost) this.#fail(call, 0);
    else this.#settle(call, () => call.resolve(answer));
  }

  #settle(call: Call, settle: () => void): void {
    const delayMs = this.#options.faults.delay(`redis ${call.process.name} answer`);
    if (delayMs > 0 || call.process.pausedUntilMs > this.#options.timeline.nowMs)
      this.#answer(call, delayMs, settle);
    else if (call.process.alive) settle();
  }

  #fail(call: Call, delayMs: number): void {
    this.#answer(call, delayMs, () => call.reject(connectionClosed()));
  }

  /** Delivers a reply to the sender unless the sender has crashed. */
  #answer(call: Call, delayMs: number, settle: () => void): void {
    this.#options.timeline.plan(delayMs, `redis answer ${call.command.name}`, settle, call.process);
  }
}

function giveUp({ leaving, reject }: Call): void {
  leaving?.abort();
  reject(connectionClosed());
}
