import { createRequire } from 'node:module';

/** By `require`: the package is CommonJS, whose default export Node and bundlers give in different shapes. */
const { default: BTree } = createRequire(import.meta.url)('sorted-btree') as typeof import('sorted-btree');

/** A map in the order of the bytes of its keys. */
export interface OrderedMap<V> {
  readonly size: number;
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  /** Values of keys with `prefix`, those after `after` alone, in order, until `visit` returns false. */
  scan(prefix: string, after: string | undefined, visit: (value: V) => boolean): void;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * A form of `key` whose order as a JavaScript string is the order of its UTF-8 bytes: itself when it is ASCII, which
 * nearly every key is. (Strings compare by UTF-16 units, which puts U+10000 before U+E000.)
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

/** Above every form that begins with a byte. */
const LAST = '\uffff';

/** The least form above all that begin with `prefix`. */
const above = (prefix: string): string =>
  prefix === '' ? LAST : prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

const STOP = { break: true } as const;

export const createOrderedMap = <V>(): OrderedMap<V> => new TreeMap();

// A class: an accessor in a literal gives each map a shape of its own, and whoever reads several is slow.
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
