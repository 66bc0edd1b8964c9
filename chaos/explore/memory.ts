import { HiddenMemoryError } from './hidden-memory.ts';

/**
 * The state that a controller keeps between reconciliations: the Maps and Sets that its effects factory
 * creates. Repeated executions detect other state (`reexecution.ts`).
 *
 * While the factory runs, observing subclasses replace the global `Map` and `Set`. A controller needs no
 * change to be explored, and its memory can be saved, restored and compared.
 */
export interface Memory {
  /** Returns the content as plain JSON. Equal contents have equal JSON for any order of insertion. */
  save(): unknown;
  restore(saved: unknown): void;
}

/** Called for each read or change. `key` names the entry; undefined means the whole container. */
export type OnTouch = (container: number, key: string | undefined) => void;

type Container = Map<unknown, unknown> | Set<unknown>;
type Saved = readonly (readonly unknown[])[];
/** Called with one key, or without a key for all entries. */
type Touch = (container: Container, ...key: readonly unknown[]) => void;

interface Made<T> {
  readonly made: T;
  readonly memory: Memory;
}

/** Serializes factories. All containers that are created during a turn belong to the factory of that turn. */
let turn: Promise<unknown> = Promise.resolve();

/** Runs `make`. Returns its result and the memory that it created. */
export function withMemory<T>(make: () => T | Promise<T>, onTouch?: OnTouch): Promise<Made<T>> {
  const run = turn.then(() => observed(make, onTouch));
  turn = run.catch(() => {});
  return run;
}

async function observed<T>(make: () => T | Promise<T>, onTouch?: OnTouch): Promise<Made<T>> {
  const containers: Container[] = [];
  const places = new Map<Container, string>();
  const numbers = new Map<Container, number>();
  let isSilent = true;
  const touch: Touch = (container, ...key) => {
    const number = isSilent ? undefined : numbers.get(container);
    if (number !== undefined) onTouch?.(number, key.length === 0 ? undefined : JSON.stringify(key[0]));
  };
  const silently = <R>(work: () => R): R => {
    isSilent = true;
    try {
      return work();
    } finally {
      isSilent = false;
    }
  };
  const { Map: PlainMap, Set: PlainSet } = globalThis;
  const onCreate = (container: Container): void => {
    containers.push(container);
    places.set(container, placeOfCreation());
  };
  globalThis.Map = observing(PlainMap, onCreate, touch);
  globalThis.Set = observing(PlainSet, onCreate, touch);
  try {
    const made = await make();
    // Containers that hold functions or connections at the start are infrastructure, not memory.
    const plain = containers.filter((each) => isPlain([...each]));
    for (const [number, each] of plain.entries()) numbers.set(each, number);
    isSilent = false;
    const memory = memoryOf(plain, places);
    return {
      made,
      memory: {
        save: () => silently(memory.save),
        restore: (saved) => silently(() => memory.restore(saved)),
      },
    };
  } finally {
    globalThis.Map = PlainMap;
    globalThis.Set = PlainSet;
  }
}

type Method = (this: Container, ...args: readonly unknown[]) => unknown;

/** Methods that access the entry named by their first argument, and methods that access all entries. */
const OF_ONE = ['get', 'has', 'set', 'add', 'delete'] as const;
const OF_ALL = ['clear', 'forEach', 'entries', 'keys', 'values', Symbol.iterator] as const;

/** Returns a subclass of `Plain` (Map or Set) whose instances report each access. */
function observing<C extends MapConstructor | SetConstructor>(
  Plain: C,
  onCreate: (container: Container) => void,
  touch: Touch,
): C {
  // Typed as Map. A Set has the same signatures for the methods used here.
  const Observing = class extends (Plain as MapConstructor)<unknown, unknown> {
    constructor(entries?: Iterable<readonly [unknown, unknown]> | null) {
      super(entries);
      onCreate(this);
    }
    override get size() {
      touch(this);
      return super.size;
    }
  };
  const methods = Plain.prototype as unknown as Record<PropertyKey, Method | undefined>;
  const define = (name: PropertyKey, told: (args: readonly unknown[]) => readonly unknown[]): void => {
    const method = methods[name];
    if (method === undefined) return;
    Object.defineProperty(Observing.prototype, name, {
      value(this: Container, ...args: unknown[]): unknown {
        touch(this, ...told(args));
        return method.apply(this, args);
      },
    });
  };
  for (const name of OF_ONE) define(name, ([key]) => [key]);
  for (const name of OF_ALL) define(name, () => []);
  return Observing as unknown as C;
}

/** Returns the source position of the call of `new Map` or `new Set`. */
function placeOfCreation(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 4;
  const line = new Error().stack?.split('\n')[4] ?? '';
  Error.stackTraceLimit = limit;
  return (
    /((?:file:\/\/)?\/[^()]+:\d+):\d+\)?$/.exec(line)?.[1]?.replace(/^file:\/\//, '') ?? 'an unknown place'
  );
}

function memoryOf(containers: readonly Container[], places: ReadonlyMap<Container, string>): Memory {
  const entriesOf = (container: Container): readonly unknown[] => {
    const entries = [...container].filter((entry) => !isUnderWay(entry));
    if (!entries.every(isPlain))
      throw new HiddenMemoryError(
        `the memory holds a value that is not plain JSON, in the container created at ${places.get(container) ?? ''}`,
      );
    return entries.map(toJson).sort(byText);
  };
  return {
    save: () => containers.map(entriesOf),
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

/** True for an entry that is a pending Promise. It is not memory: a replayed reconcile creates it again. */
const isUnderWay = (entry: unknown): boolean => Array.isArray(entry) && entry[1] instanceof Promise;

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** Converts to JSON. A Set becomes `{ set: […] }`, a Map `{ map: […] }`, a bigint `{ bigint: '…' }`. */
function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return { bigint: String(value) };
  if (value instanceof Set) return { set: [...value].map(toJson).sort(byText) };
  if (value instanceof Map) return { map: [...value].map(toJson).sort(byText) };
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toJson(each)]));
}

function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== 'object' || value === null) return value;
  const { set, map, bigint } = value as {
    readonly set?: unknown[];
    readonly map?: unknown[];
    readonly bigint?: string;
  };
  if (bigint !== undefined) return BigInt(bigint);
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
