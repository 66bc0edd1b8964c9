import type { Clock, Timer } from '../../base/clock/clock.ts';

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

const before = (a: Entry, b: Entry): boolean =>
  a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);

/** A binary heap by due time, then by order of adding. */
class Heap {
  #items: Entry[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): Entry | undefined {
    return this.#items[0];
  }

  push(entry: Entry): void {
    const items = this.#items;
    let at = items.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] as Entry;
      if (!before(entry, above)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = entry;
  }

  pop(): void {
    const items = this.#items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      const right = items[child + 1];
      if (right !== undefined && before(right, items[child] as Entry)) child++;
      if (!before(items[child] as Entry, last)) break;
      items[at] = items[child] as Entry;
      at = child;
    }
    items[at] = last;
  }

  /** Keeps what `keep` holds for. */
  retain(keep: (entry: Entry) => boolean): void {
    const kept = this.#items.filter(keep);
    this.#items = [];
    for (const entry of kept) this.push(entry);
  }
}

/** `due` gets each key when its time has come. One timer is armed at a time, whatever the number of keys. */
export function createDelayedKeys(clock: Clock, due: (key: string) => void): DelayedKeys {
  const current = new Map<string, Entry>();
  const heap = new Heap();
  let timer: Timer | undefined;
  let armedForMs = Infinity;
  let order = 0;

  const isCurrent = (entry: Entry): boolean => current.get(entry.key) === entry;
  const arm = (): void => {
    while (heap.first !== undefined && !isCurrent(heap.first)) heap.pop();
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
      heap.pop();
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
