import { type Clock, sleep } from '../../base/clock/index.ts';
import { asError } from '../../base/errors/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { StorageError } from './storage.ts';

/** Options for waiting until a store is available. */
export interface Patience {
  readonly clock: Clock;
  readonly log: Logger;
  /** How long a store may be unavailable at a start, in milliseconds. Default: 60,000. */
  readonly patienceMs?: number | undefined;
}

const PATIENCE_MS = 60_000;
const RETRY_MS = 1_000;

const isUnavailable = (thrown: unknown): boolean =>
  thrown instanceof StorageError && thrown.code === 'ERR_STORAGE_UNAVAILABLE';

/**
 * Calls `call`, and again every second while the store is unavailable (ERR_STORAGE_UNAVAILABLE). Returns the
 * result of `call`. Throws any other error at once, and ERR_STORAGE_UNAVAILABLE after failures for
 * `patienceMs`. This limit counts from the first failure.
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
      if (!isUnavailable(thrown) || clock.monotonic() + RETRY_MS > untilMs) throw thrown;
      log.warn({ err: asError(thrown) }, 'the store is not available yet');
      await sleep(clock, RETRY_MS);
    }
  }
}
