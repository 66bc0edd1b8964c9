import type { Clock } from '../../base/clock/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { Command, PiecewiseAnswer } from './command.ts';
import { isDirect, runDirect } from './direct-commands.ts';
import { notServed } from './job-queue.ts';
import { createJobScripts, isScript } from './job-scripts.ts';
import { isKeysCommand, runKeysCommand } from './keys-commands.ts';
import { type Keys, Keyspace } from './keyspace.ts';
import { MarkerWaits } from './marker-waits.ts';

/** An immutable copy of all data, which can be restored any number of times. */
export type RedisSnapshot = Keys;

/** An in-process Redis server with its own clock. It supports the features that shared queues use. */
export interface MemoryRedis {
  /**
   * Executes a command atomically. Only `waitForJob` returns a promise. Replies are those of Redis, including
   * the negative codes from which BullMQ creates errors. Throws the errors of Redis, and `ERR_NOT_SERVED` for
   * unsupported features.
   */
  execute(command: Command, signal?: AbortSignal): unknown;
  /** Copies all data. Restoring the copy later simulates a failover that loses writes. */
  snapshot(): RedisSnapshot;
  restore(snapshot: RedisSnapshot): void;
  /** Deletes all data. */
  flush(): void;
  /** Changes the run id and breaks blocking waits, as a restart or failover does. The data stays. */
  restart(): void;
}

export function createMemoryRedis(clock: Clock, random: Random): MemoryRedis {
  const space = new Keyspace(clock);
  const waits = new MarkerWaits(clock, space);
  const runScript = createJobScripts(space);
  let runId = random.uuid();

  const run = (command: Command): unknown => {
    const { name, prefix, args } = command;
    if (isScript(name)) return runScript(name, args);
    if (isDirect(name)) return runDirect(space, name, args);
    if (isKeysCommand(name)) return runKeysCommand(name, space, prefix, args, runId);
    if (name === 'pipeline') return piecewise(args as readonly Command[], run);
    return notServed(`the command ${name}`);
  };

  return {
    execute(command, signal) {
      if (command.name === 'waitForJob') {
        const [key, seconds] = command.args;
        return waits.wait(String(key), Number(seconds), signal);
      }
      try {
        return run(command);
      } finally {
        waits.serve();
      }
    },
    snapshot: () => space.keep(),
    restore(snapshot) {
      space.putBack(snapshot);
      waits.serve();
    },
    flush: () => space.putBack({ values: new Map(), expiries: new Map() }),
    restart() {
      runId = random.uuid();
      waits.break();
    },
  };
}

/** Executes commands one by one. An error of one command does not affect the others. */
const piecewise = (commands: readonly Command[], run: (command: Command) => unknown): PiecewiseAnswer =>
  commands.map((command) => {
    try {
      return [null, run(command)];
    } catch (thrown) {
      if (thrown instanceof CodedError) throw thrown;
      return [messageOf(thrown), null];
    }
  });
