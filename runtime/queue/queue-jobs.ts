import { encodeKey } from './key-code.ts';
import type { HeldAdds } from './outbox.ts';

/** Key that becomes a job in Redis. */
export interface KeyToSend {
  readonly key: string;
  readonly retries: number;
  /** Names of the changes that enqueued the key. Only the first name is sent. */
  readonly changes?: readonly string[];
}

/**
 * Returns the BullMQ job of a key. BullMQ retains an add during the key's reconcile for one further
 * reconcile.
 */
export function jobOf({ key, retries, changes = [] }: KeyToSend, nowMs: number) {
  const id = encodeKey(key);
  const [change] = changes;
  return {
    name: 'key',
    data: { key: id, retries, ...(change === undefined ? {} : { change }) },
    opts: {
      deduplication: { id, keepLastIfActive: true },
      removeOnComplete: true,
      removeOnFail: true,
      timestamp: nowMs,
    },
  };
}

/** Returns the timers of delayed keys. `nowMs` is a time on the monotonic clock. */
export const timersOf = ({ later }: HeldAdds, nowMs: number) =>
  later.map(({ key, dueMs, retries }) => ({
    key: encodeKey(key),
    delayMs: Math.max(0, dueMs - nowMs),
    retries,
  }));
