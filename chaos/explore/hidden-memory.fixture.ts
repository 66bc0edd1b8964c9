import { secrets } from '../../api/groups/core-v1.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';

/** The keys that a controller has seen. */
export interface SeenKeys {
  has(key: string): boolean;
  add(key: string): void;
}

/** Wraps a controller so that it lists all Secrets from the API the first time it sees a key in a process. */
export const remembering = (
  definition: ControllerDefinition,
  createSeen: () => SeenKeys,
): ControllerDefinition => ({
  ...definition,
  effects: async (context) => {
    const seen = createSeen();
    const { observe, ...others } = await definition.effects(context);
    return {
      ...others,
      observe: async (input: never, signal) => {
        const { key } = input as { readonly key: string };
        if (!seen.has(key)) {
          seen.add(key);
          await context.client.all(secrets).list();
        }
        return observe?.(input, signal) ?? null;
      },
    };
  },
});

class Counter {
  readonly #counts: Record<string, number> = {};
  has(key: string): boolean {
    return (this.#counts[key] ?? 0) > 0;
  }
  add(key: string): void {
    this.#counts[key] = (this.#counts[key] ?? 0) + 1;
  }
}

const ofModule = new Map<string, true>();
let anchor = {};
const weak = new WeakMap<object, string[]>();

/**
 * Places of memory that the explorer does not see, by kind, and the pattern of the place that the message
 * must name.
 */
export const hiddenMemories: Readonly<Record<string, readonly [create: () => SeenKeys, place: RegExp]>> = {
  'a plain object': [
    () => {
      const plainObject: Record<string, true> = {};
      return { has: (key) => key in plainObject, add: (key) => void (plainObject[key] = true) };
    },
    /"plainObject" in/,
  ],
  'an array': [
    () => {
      const list: string[] = [];
      return { has: (key) => list.includes(key), add: (key) => void list.push(key) };
    },
    /"list" in/,
  ],
  'a closed-over let': [
    () => {
      let latest = '';
      return { has: (key) => latest === key, add: (key) => void (latest = key) };
    },
    /"latest" in/,
  ],
  'a class instance with a private field': [() => new Counter(), /"seen" in/],
  'a Map of a module': [
    () => ({ has: (key) => ofModule.has(key), add: (key) => void ofModule.set(key, true) }),
    /hidden-memory\.fixture\.ts/,
  ],
  'a WeakMap': [
    () => ({
      has: (key) => weak.get(anchor)?.includes(key) ?? false,
      add: (key) => void weak.set(anchor, [...(weak.get(anchor) ?? []), key]),
    }),
    /hidden-memory\.fixture\.ts/,
  ],
};

/** Creates the same memory in a Map that the explorer sees. */
export const visibleMemory = (): SeenKeys => {
  const seen = new Map<string, true>();
  return { has: (key) => seen.has(key), add: (key) => void seen.set(key, true) };
};

/** Creates memory in a Map whose values are not plain JSON, so that it can be neither saved nor compared. */
export const unsavableMemory = (): SeenKeys => {
  const seen = new Map<string, () => true>();
  return { has: (key) => seen.has(key), add: (key) => void seen.set(key, () => true) };
};

/** Empties the memory of this module, which would otherwise remain for the next test. */
export function forgetModuleMemory(): void {
  ofModule.clear();
  anchor = {};
}
