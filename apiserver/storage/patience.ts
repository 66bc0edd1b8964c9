import { type Clock, sleep } from '../../base/clock/clock.ts';
import { asError } from '../../base/errors/coded.ts';
import type { Logger } from '../../base/log/logger.ts';
import { StorageError } from './storage.ts';

export interface Patience {
  readonly clock: Clock;
  readonly log: Logger;
  /** How long a store may be away at a start, milliseconds. Default a minute. */
  readonly patienceMs?: number | undefined;
}

const PATIENCE_MS = 60_000;
const RETRY_MS = 1_000;

const isAway = (thrown: unknown): boolean =>
  thrown instanceof StorageError && thrown.code === 'ERR_STORAGE_UNAVAILABLE';

/**
 * What `call` resolves with, which is called again every second while the store is away (ERR_STORAGE_UNAVAILABLE). Throws
 * anything else at once, and that once it has failed so for `patienceMs`; how long a call takes that succeeds, or was under
 * way when the store went, does not count.
 */
export async function patiently<T>(
  { clock, log, patienceMs = PATIENCE_MS }: Patience,
  call: () => Promise<T>,
): Promise<T> {
  let untilMs: number | undefined;
  for (;;) {
    try {
      return await call();
    } catch (thrown) {
      untilMs ??= clock.monotonic() + patienceMs;
      if (!isAway(thrown) || clock.monotonic() + RETRY_MS > untilMs) throw thrown;
      log.warn({ err: asError(thrown) }, 'the store does not answer yet');
      await sleep(clock, RETRY_MS);
    }
  }
}
