import { encodeKey } from './key-code.ts';
import type { HeldAdds } from './outbox.ts';

/** A key that becomes a job in Redis. */
export interface KeyToSend {
  readonly key: string;
  readonly retries: number;
  /** Names of the changes that enqueued it; the first one is sent. */
  readonly changes?: readonly string[];
}

/** Returns the BullMQ job of a key. An add during its reconcile is kept for one more. */
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

/** Returns the timers of delayed keys. `nowMs` is on the monotonic clock. */
export const timersOf = ({ later }: HeldAdds, nowMs: number) =>
  later.map(({ key, dueMs, retries }) => ({
    key: encodeKey(key),
    delayMs: Math.max(0, dueMs - nowMs),
    retries,
  }));
