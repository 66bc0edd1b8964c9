import { createRequire } from 'node:module';

/**
 * Loaded by `require`: the package is CommonJS, and Node and bundlers expose its default export in different
 * shapes.
 */
const { default: BTree } = createRequire(import.meta.url)('sorted-btree') as typeof import('sorted-btree');

/** Map ordered by the UTF-8 bytes of its keys. */
export interface OrderedMap<V> {
  readonly size: number;
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  /**
   * Visits the values of keys with `prefix` in order, until `visit` returns false. With `after`, begins at
   * the first key after it.
   */
  scan(prefix: string, after: string | undefined, visit: (value: V) => boolean): void;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Returns a form of `key` whose order as a JavaScript string equals the order of its UTF-8 bytes. An ASCII
 * key, the usual case, is returned unchanged. (JavaScript compares strings by UTF-16 units, which puts
 * U+10000 before U+E000.)
 */
function toOrder(key: string): string {
  for (let i = 0; i < key.length; i++)
    if (key.charCodeAt(i) > 0x7f) {
      if (LONE_SURROGATE.test(key)) throw new TypeError('a storage key must be well-formed Unicode');
      return Buffer.from(key, 'utf8').toString('latin1');
    }
  return key;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1);

/** String that sorts after every key in byte form, whose characters are at most U+00FF. */
const LAST = '\uffff';

/** Returns the least key in byte form that sorts after all keys with `prefix`. */
const above = (prefix: string): string =>
  prefix === '' ? LAST : prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

const STOP = { break: true } as const;

export const createOrderedMap = <V>(): OrderedMap<V> => new TreeMap();

// This is a class because an accessor in an object literal gives each map a separate hidden class, which
// makes call sites that use several maps slow.
class TreeMap<V> implements OrderedMap<V> {
  readonly #tree = new BTree<string, V>(undefined, compare);

  get size(): number {
    return this.#tree.size;
  }

  get(key: string): V | undefined {
    return this.#tree.get(toOrder(key));
  }

  set(key: string, value: V): void {
    this.#tree.set(toOrder(key), value);
  }

  delete(key: string): void {
    this.#tree.delete(toOrder(key));
  }

  scan(prefix: string, after: string | undefined, visit: (value: V) => boolean): void {
    const start = toOrder(prefix);
    const passed = after === undefined ? undefined : toOrder(after);
    const low = passed !== undefined && passed > start ? passed : start;
    this.#tree.forRange(low, above(start), false, (key, value) =>
      key === passed || visit(value) ? undefined : STOP,
    );
  }
}
