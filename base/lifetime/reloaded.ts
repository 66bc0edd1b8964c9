import type { Timer } from '../clock/clock.ts';
import type { Environment } from '../environment.ts';
import { messageOf } from '../errors/coded.ts';
import type { Lifetime } from './lifetimes.ts';

/** What a setting is now. The same value as long as it is the same setting. */
export type Live<T> = () => T;

/** A setting that is read again and again between start and stop. */
export interface Reloaded<T> extends Lifetime {
  readonly current: Live<T>;
}

export interface ReloadedOptions<T> extends Pick<Environment, 'clock' | 'log'> {
  /** Such as `client authorities`; for the log. */
  readonly name: string;
  /** What it was when the server was put together. */
  readonly first: T;
  /** Reads it anew and checks it. What it throws is logged, so it must name no secret. */
  readonly read: () => Promise<T>;
  readonly isSame: (left: T, right: T) => boolean;
  /** Told of each new value, which already is the current one. What it throws is logged. */
  readonly onChange?: (value: T) => void | Promise<void>;
  /** Milliseconds between two readings; default 5 000. */
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;

/**
 * Takes over what a setting becomes while the server runs. Whatever cannot be read, or is not what it should be, changes
 * nothing and is logged once: files that belong together are written one after the other, and the next reading finds both.
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
      log.info({ setting: name }, 'a setting has been read anew');
    } catch (thrown) {
      const message = messageOf(thrown);
      if (message !== problem)
        log.error({ setting: name, problem: message }, 'a setting cannot be read anew');
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
