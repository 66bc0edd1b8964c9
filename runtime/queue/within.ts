import type { Clock } from '../../base/clock/index.ts';
import { CodedError } from '../../base/errors/index.ts';

/** Resolves or rejects with `promise`, or rejects with `ERR_REDIS_TIMEOUT` after `ms` milliseconds. */
export function within<T>(clock: Clock, ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimeout(
      () => reject(new CodedError('ERR_REDIS_TIMEOUT', `redis did not respond within ${ms} ms`)),
      ms,
    );
    void promise.then(resolve, reject).finally(() => clock.clearTimeout(timer));
  });
}
