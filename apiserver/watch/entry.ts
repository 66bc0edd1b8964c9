import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { deepFreeze } from '../../base/collections/index.ts';
import type { Stored } from '../storage/storage.ts';
import { type Head, readHead } from './head.ts';
import type { CacheChange, Entry, ObjectView } from './watch-cache.ts';
import { readJson } from '../../api/schema/index.ts';

/** Value derived from an object, with the function that has computed it. */
interface Derived {
  readonly make: unknown;
  readonly value: unknown;
}

/** Entry that caches one derived value. */
export abstract class DerivingEntry implements ObjectView {
  #derived: Derived | undefined;

  abstract readonly object: DeepReadonly<ApiObject>;

  get head(): Head {
    return this.peek().metadata ?? {};
  }

  /**
   * Returns the whole object. Entries override this method where `object` would freeze the object for the
   * cache.
   */
  peek(): DeepReadonly<ApiObject> {
    return this.object;
  }

  derived<T>(make: (entry: ObjectView) => T): T {
    if (this.#derived?.make === make) return this.#derived.value as T;
    const value = make(this);
    this.#derived = { make, value };
    return value;
  }
}

/**
 * Entry with the stored bytes and a weakly held object: many entries are never parsed, and most only once.
 */
class CachedEntry extends DerivingEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly value: Buffer;
  #object: { deref(): DeepReadonly<ApiObject> | undefined } | undefined;

  constructor({ key, revision, value, object }: Stored) {
    super();
    this.key = key;
    this.revision = revision;
    this.value = value;
    // The store holds the object, so a weak reference would free nothing.
    if (object !== undefined) this.#object = { deref: () => object };
  }

  get object(): DeepReadonly<ApiObject> {
    const held = this.#object?.deref();
    if (held) return held;
    const parsed = deepFreeze(this.#parse());
    this.#object = new WeakRef(parsed);
    return parsed;
  }

  override get head(): Head {
    return this.#object?.deref()?.metadata ?? readHead(this.value) ?? super.head;
  }

  override peek(): DeepReadonly<ApiObject> {
    return this.#object?.deref() ?? this.#parse();
  }

  #parse(): DeepReadonly<ApiObject> {
    return readJson(this.value.toString('utf8')) as DeepReadonly<ApiObject>;
  }
}

export const toEntry = (stored: Stored): Entry => new CachedEntry(stored);

const HEAD = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const TAIL = Buffer.from('}\n');

type ChangeType = CacheChange['type'];

/**
 * Change in the ring. Its frames are held weakly: a loop over the watchers creates each frame once, and
 * watchers that have queued the frame share it with later watchers.
 */
class RingChange implements CacheChange {
  readonly type: ChangeType;
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  #frames: { [T in ChangeType]?: WeakRef<Buffer> } | undefined;

  constructor(type: ChangeType, entry: Entry, previous: Entry | undefined) {
    this.type = type;
    this.entry = entry;
    this.previous = previous;
  }

  get revision(): number {
    return this.entry.revision;
  }

  frame(type: ChangeType): Buffer {
    this.#frames ??= {};
    const held = this.#frames[type]?.deref();
    if (held) return held;
    const frame = Buffer.concat([HEAD[type], this.entry.value, TAIL]);
    this.#frames[type] = new WeakRef(frame);
    return frame;
  }
}

export const toChange = (type: ChangeType, entry: Entry, previous: Entry | undefined): CacheChange =>
  new RingChange(type, entry, previous);
