import type { Clock, Timer } from '../../base/clock/clock.ts';
import { DueHeap } from '../../base/clock/due-heap.ts';

interface Entry {
  readonly key: string;
  readonly dueMs: number;
  readonly order: number;
}

/** Keys that come up later; one time for each, the earliest asked for. */
export interface DelayedKeys {
  add(key: string, delayMs: number): void;
  readonly size: number;
  /** Drops all. */
  clear(): void;
}

/** `due` gets each key when its time has come. One timer is armed at a time, whatever the number of keys. */
export function createDelayedKeys(clock: Clock, due: (key: string) => void): DelayedKeys {
  const current = new Map<string, Entry>();
  const heap = new DueHeap<Entry>();
  let timer: Timer | undefined;
  let armedForMs = Infinity;
  let order = 0;

  const isCurrent = (entry: Entry): boolean => current.get(entry.key) === entry;
  const arm = (): void => {
    while (heap.first !== undefined && !isCurrent(heap.first)) heap.shift();
    const next = heap.first?.dueMs ?? Infinity;
    if (next === armedForMs) return;
    clock.clearTimeout(timer);
    armedForMs = next;
    timer = next === Infinity ? undefined : clock.setTimeout(fire, next - clock.monotonic());
  };
  const fire = (): void => {
    armedForMs = Infinity;
    const nowMs = clock.monotonic();
    for (let entry = heap.first; entry !== undefined && entry.dueMs <= nowMs; entry = heap.first) {
      heap.shift();
      if (!isCurrent(entry)) continue;
      current.delete(entry.key);
      due(entry.key);
    }
    arm();
  };

  return {
    add(key, delayMs) {
      const entry = { key, dueMs: clock.monotonic() + delayMs, order: order++ };
      const known = current.get(key);
      if (known !== undefined && known.dueMs <= entry.dueMs) return;
      current.set(key, entry);
      heap.push(entry);
      if (heap.size > 2 * current.size + 64) heap.retain(isCurrent);
      arm();
    },
    get size() {
      return current.size;
    },
    clear() {
      current.clear();
      arm();
    },
  };
}
