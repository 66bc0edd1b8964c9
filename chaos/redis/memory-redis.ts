import type { Clock } from '../../base/clock/clock.ts';
import { CodedError, messageOf } from '../../base/errors/coded.ts';
import type { Random } from '../../base/random/random.ts';
import type { Command, PiecewiseAnswer } from './command.ts';
import { isDirect, runDirect } from './direct-commands.ts';
import { notServed } from './job-queue.ts';
import { createJobScripts, isScript } from './job-scripts.ts';
import { isKeysCommand, runKeysCommand } from './keys-commands.ts';
import { type Keys, Keyspace } from './keyspace.ts';
import { MarkerWaits } from './marker-waits.ts';

/** All data at one moment. It is never changed, and may be gone back to many times. */
export type RedisSnapshot = Keys;

/** A Redis in process, with as much of it as shared queues use. Its time is that of its own clock. */
export interface MemoryRedis {
  /**
   * Carries a command out at once and whole; `waitForJob` alone is answered later, with a promise. Answers what Redis would,
   * codes below zero included, of which BullMQ makes its errors. Throws what Redis refuses, and `ERR_NOT_SERVED`.
   */
  execute(command: Command, signal?: AbortSignal): unknown;
  /** Everything there is, to go back to: a fail-over that loses what came since. */
  snapshot(): RedisSnapshot;
  restore(snapshot: RedisSnapshot): void;
  /** Takes everything away. */
  flush(): void;
  /** Another run id, as after a restart or a fail-over; breaks the waits that block. Keeps the data. */
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

/** One that is refused keeps none of the others from being carried out. */
const piecewise = (commands: readonly Command[], run: (command: Command) => unknown): PiecewiseAnswer =>
  commands.map((command) => {
    try {
      return [null, run(command)];
    } catch (thrown) {
      if (thrown instanceof CodedError) throw thrown;
      return [messageOf(thrown), null];
    }
  });
