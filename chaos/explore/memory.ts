/**
 * What a controller remembers between its passes lies in Maps and Sets that its effects' factory makes. They are found by
 * handing the factory a `Map` and a `Set` that tell of themselves, so that a controller needs no change to be explored,
 * and its memory can be saved, put back and compared like any other part of the world.
 */
export interface Memory {
  /** As plain JSON; the same for the same content, whatever the order it came in. */
  save(): unknown;
  restore(saved: unknown): void;
}

type Container = Map<unknown, unknown> | Set<unknown>;
type Saved = readonly (readonly unknown[])[];

/** Runs `make`, and gives what it made together with the memory that it laid out. */
export async function withMemory<T>(
  make: () => T | Promise<T>,
): Promise<{ readonly made: T; readonly memory: Memory }> {
  const containers: Container[] = [];
  const { Map: PlainMap, Set: PlainSet } = globalThis;
  globalThis.Map = class<K, V> extends PlainMap<K, V> {
    constructor(entries?: Iterable<readonly [K, V]> | null) {
      super(entries);
      containers.push(this);
    }
  } as MapConstructor;
  globalThis.Set = class<V> extends PlainSet<V> {
    constructor(values?: Iterable<V> | null) {
      super(values);
      containers.push(this);
    }
  } as SetConstructor;
  try {
    const made = await make();
    // What holds functions or connections from the start is equipment.
    return { made, memory: memoryOf(containers.filter((each) => isPlain([...each]))) };
  } finally {
    globalThis.Map = PlainMap;
    globalThis.Set = PlainSet;
  }
}

function memoryOf(containers: readonly Container[]): Memory {
  return {
    save: () => containers.map((each) => [...each].map(toJson).sort(byText)),
    restore(saved) {
      containers.forEach((container, at) => {
        container.clear();
        for (const entry of (saved as Saved)[at] ?? [])
          if (container instanceof Set) container.add(fromJson(entry));
          else container.set(...(fromJson(entry) as [unknown, unknown]));
      });
    },
  };
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** Sets within values are written as `{ set: […] }`. */
function toJson(value: unknown): unknown {
  if (value instanceof Set) return { set: [...value].map(toJson).sort(byText) };
  if (value instanceof Map) return { map: [...value].map(toJson).sort(byText) };
  if (Array.isArray(value)) return value.map(toJson);
  if (!isPlain(value))
    throw new Error('a controller keeps in its memory what is no plain JSON: it cannot be explored');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toJson(each)]));
}

function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== 'object' || value === null) return value;
  const { set, map } = value as { readonly set?: unknown[]; readonly map?: unknown[] };
  if (set !== undefined) return new Set(set.map(fromJson));
  if (map !== undefined) return new Map(map.map(fromJson) as [unknown, unknown][]);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fromJson(each)]));
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'function' || typeof value === 'symbol') return false;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value) || value instanceof Set || value instanceof Map) return [...value].every(isPlain);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain);
}
