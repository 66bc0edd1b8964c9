import type { Clock } from '../clock/clock.ts';
import { type LinkedSignal, orAborted } from './linked-signal.ts';

/** Runs `work`. Aborts `link` with the error of `late` after `ms` milliseconds. */
export async function within<T>(
  clock: Clock,
  ms: number,
  link: LinkedSignal,
  late: () => Error,
  work: () => Promise<T>,
): Promise<T> {
  const timer = clock.setTimeout(() => link.abort(late()), ms);
  try {
    link.throwIfAborted();
    return await orAborted(work(), link);
  } finally {
    clock.clearTimeout(timer);
  }
}
