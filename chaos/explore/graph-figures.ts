import { createHash } from 'node:crypto';
import type { ModelWorld } from './world.ts';

const VERSION = /@\d+/g;

/** Creates a counter of different quiescent stores, without versions. */
export function createEnds() {
  const undisturbed = new Set<string>();
  const all = new Set<string>();
  const texts = new WeakMap<object, string>();
  return {
    note({ store }: ModelWorld, isUndisturbed: boolean): void {
      let text = texts.get(store);
      if (text === undefined)
        texts.set(store, (text = JSON.stringify(store.objects).replaceAll(VERSION, '')));
      all.add(text);
      if (isUndisturbed) undisturbed.add(text);
    },
    get all() {
      return all.size;
    },
    get faulty() {
      return all.size - undisturbed.size;
    },
  };
}

/** Creates a hash of the targets of all steps in order. */
export function createGraphHash() {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  let steps = 0;
  return {
    add(to: number): void {
      steps += 1;
      low = Math.imul(low ^ to, 0x01000193);
      high = Math.imul(high ^ (to + (low >>> 15)), 0x85ebca6b);
    },
    get steps() {
      return steps;
    },
    digest: (states: number): string =>
      createHash('sha256').update(`${states} ${steps} ${low} ${high}`).digest('hex').slice(0, 16),
  };
}
