import type { Timer } from '../clock/clock.ts';
import type { Environment } from '../environment.ts';
import { messageOf } from '../errors/coded.ts';
import type { Lifetime } from './lifetimes.ts';

/**
 * Function that returns the current value of a setting. It returns the same object while the setting is
 * unchanged.
 */
export type Live<T> = () => T;

/** Setting that is read again periodically between start and stop. */
export interface Reloaded<T> extends Lifetime {
  readonly current: Live<T>;
}

/** Options of `createReloaded`. */
export interface ReloadedOptions<T> extends Pick<Environment, 'clock' | 'log'> {
  /** Name of the setting for log lines, such as `client authorities`. */
  readonly name: string;
  /** Value at startup. */
  readonly first: T;
  /** Reads and validates the setting. Errors are logged, so they must not contain a secret. */
  readonly read: () => Promise<T>;
  readonly isSame: (left: T, right: T) => boolean;
  /** Receives each new value after it has become current. Errors are logged. */
  readonly onChange?: (value: T) => void | Promise<void>;
  /** Time in milliseconds between two reads. The default is 5,000. */
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;

/**
 * Creates a setting that follows its source while the server runs. A value that cannot be read or is invalid
 * changes nothing, and is logged once. A read between the writes of related files, such as a certificate and
 * its key, may find an invalid pair; the next read then succeeds.
 */
export function createReloaded<T>(options: ReloadedOptions<T>): Reloaded<T> {
  const { name, clock, log, read, isSame, onChange, everyMs = EVERY_MS } = options;
  let value = options.first;
  let problem: string | undefined;
  let timer: Timer | undefined;
  let underway: Promise<void> = Promise.resolve();

  async function reload(): Promise<void> {
    try {
      const next = await read();
      problem = undefined;
      if (isSame(value, next)) return;
      value = next;
      await onChange?.(next);
      log.info({ setting: name }, 'setting reloaded');
    } catch (thrown) {
      const message = messageOf(thrown);
      if (message !== problem) log.error({ setting: name, problem: message }, 'failed to reload a setting');
      problem = message;
    }
  }
  const arm = (): void => {
    timer = clock.setTimeout(() => {
      underway = reload().then(() => {
        if (timer !== undefined) arm();
      });
    }, everyMs);
  };
  return {
    name,
    current: () => value,
    async start() {
      if (timer === undefined) arm();
    },
    async stop() {
      clock.clearTimeout(timer);
      timer = undefined;
      await underway;
    },
  };
}
