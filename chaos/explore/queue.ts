import { createMemo } from './memo.ts';
import type { Queue } from './world.ts';

/** What comes up within this may come up at any moment, and is waited for before it is asked whether all is well. */
export const PATIENCE_MS = 60_000;

export const EMPTY: Queue = { up: true, ready: [], again: [], due: {} };
export const DOWN: Queue = { ...EMPTY, up: false };

/** What becomes of a queue, by what is done to it. */
const changed = createMemo<Queue, Queue>();

/** A key waits, each once. */
export const withKey = (queue: Queue, list: 'ready' | 'again', key: string): Queue =>
  queue[list].includes(key)
    ? queue
    : changed(queue, `${list} ${key}`, () => ({ ...queue, [list]: [...queue[list], key].sort() }));

/** A key comes up at a time, or before if it did. */
export function withDue(queue: Queue, key: string, atMs: number): Queue {
  const dueMs = Math.min(queue.due[key] ?? Infinity, atMs);
  return changed(queue, `due ${key} ${dueMs}`, () => ({
    ...queue,
    due: inOrder({ ...queue.due, [key]: dueMs }),
  }));
}

/** A key is taken. */
export const taking = (queue: Queue, key: string): Queue =>
  changed(queue, `take ${key}`, () => ({ ...queue, ready: queue.ready.filter((each) => each !== key) }));

/** Work on a key is done. */
export const done = (queue: Queue, key: string): Queue =>
  changed(queue, `done ${key}`, () => ({ ...queue, again: queue.again.filter((each) => each !== key) }));

/** All is lost but what is in work. */
export const emptied = (queue: Queue): Queue =>
  changed(queue, 'emptied', () => ({ ...EMPTY, again: queue.again, flushed: true }));

/** Keys whose timers end soon. */
export const soonDue = ({ due }: Queue, nowMs: number): readonly string[] =>
  Object.keys(due).filter((key) => (due[key] ?? 0) <= nowMs + PATIENCE_MS);

export const inOrder = <V>(record: { readonly [key: string]: V }): { readonly [key: string]: V } =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
