import { createMemo } from './memo.ts';

export interface Queue {
  readonly up: boolean;
  /** Keys that a worker may take, each listed once. */
  readonly ready: readonly string[];
  /** Keys that were enqueued again during their reconcile. */
  readonly again: readonly string[];
  /** Due times of scheduled keys in milliseconds. */
  readonly due: { readonly [key: string]: number };
  /** Set if the queue was emptied. Then only a resync enqueues the lost keys. */
  readonly flushed?: true;
}

/**
 * Maximum time in milliseconds until a key is due for the key to be enqueued at any moment. A world is
 * quiescent only if there are no such keys.
 */
export const PATIENCE_MS = 60_000;

export const EMPTY: Queue = { up: true, ready: [], again: [], due: {} };
export const DOWN: Queue = { ...EMPTY, up: false };

/** Results of queue operations, by queue and operation. */
const changed = createMemo<Queue, Queue>();

/** Adds a key to a list unless the list contains it. */
export const withKey = (queue: Queue, list: 'ready' | 'again', key: string): Queue =>
  queue[list].includes(key)
    ? queue
    : changed(queue, `${list} ${key}`, () => ({ ...queue, [list]: [...queue[list], key].sort() }));

/** Schedules a key. The earlier of two due times wins. */
export function withDue(queue: Queue, key: string, atMs: number): Queue {
  const dueMs = Math.min(queue.due[key] ?? Infinity, atMs);
  return changed(queue, `due ${key} ${dueMs}`, () => ({
    ...queue,
    due: inOrder({ ...queue.due, [key]: dueMs }),
  }));
}

/** Removes a key that a worker takes from the ready keys. */
export const taking = (queue: Queue, key: string): Queue =>
  changed(queue, `take ${key}`, () => ({ ...queue, ready: queue.ready.filter((each) => each !== key) }));

/** Ends the reconcile of a key. */
export const done = (queue: Queue, key: string): Queue =>
  changed(queue, `done ${key}`, () => ({ ...queue, again: queue.again.filter((each) => each !== key) }));

/** Drops all keys except those that are being reconciled. */
export const emptied = (queue: Queue): Queue =>
  changed(queue, 'emptied', () => ({ ...EMPTY, again: queue.again, flushed: true }));

/** Returns the keys whose timers end within `PATIENCE_MS`. */
export const soonDue = ({ due }: Queue, nowMs: number): readonly string[] =>
  Object.keys(due).filter((key) => (due[key] ?? 0) <= nowMs + PATIENCE_MS);

export const inOrder = <V>(record: { readonly [key: string]: V }): { readonly [key: string]: V } =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
