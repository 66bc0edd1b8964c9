import { createHash } from 'node:crypto';
import { type Named, isNumbered, renumbered, versionsIn } from './versions.ts';

/**
 * Interned parts of worlds. Each different part (the store, a queue, …) is stored once and has a number.
 *
 * A part may consist of parts, as a process does. A world is a row of numbers. Equal rows are equal worlds,
 * and equal parts are one object. A step that changes two parts needs memory only for two parts.
 *
 * Each world renumbers its versions (`versions.ts`), so worlds that differ only in how often an object was
 * written are equal.
 */
export interface Parts {
  /** Returns the numbers of the parts of a world. */
  row(parts: readonly unknown[]): number[];
  /** Returns the canonical object of the part with a number. */
  value(id: number): unknown;
  readonly size: number;
  /** Total number of characters of all parts, from which memory is estimated (1 to 2 bytes each). */
  readonly characters: number;
  /** Returns a hash of all parts in order of first occurrence. */
  digest(): string;
}

/** Decomposition of values into parts, and its inverse. */
export interface Compounds {
  /** Returns the parts of a value. Undefined if the value is stored as one part. */
  split(value: object): readonly unknown[] | undefined;
  join(parts: readonly unknown[]): object;
}

interface Part {
  readonly value: unknown;
  /** JSON of the part; '' for a compound. */
  readonly text: string;
  readonly inner?: readonly number[];
  /** Numbers of the objects whose versions the part names, and the versions of each object. */
  readonly uids: readonly number[];
  readonly versions: readonly Named[];
}

export function createParts(compounds?: Compounds): Parts {
  const byText = new Map<string, number>();
  const byInner = new Map<string, number>();
  const byValue = new WeakMap<object, number>();
  const parts: Part[] = [];
  const uidNumbers = new Map<string, number>();
  /** Versions that the current row names, by object, and the numbers of these objects. */
  const union: number[] = [];
  const touched: number[] = [];
  const renamings: (Map<string, number> | undefined)[] = [];
  let characters = 0;

  const keep = (part: Part): number => {
    const id = parts.push(part) - 1;
    if (typeof part.value === 'object' && part.value !== null) byValue.set(part.value, id);
    return id;
  };
  const numberOf = (uid: string): number => {
    let number = uidNumbers.get(uid);
    if (number === undefined) {
      uidNumbers.set(uid, (number = union.length));
      union.push(0);
    }
    return number;
  };
  const internText = (text: string): number => {
    let id = byText.get(text);
    if (id !== undefined) return id;
    const versions = versionsIn(text);
    id = keep({
      value: JSON.parse(text) as unknown,
      text,
      uids: [...versions.keys()].map(numberOf),
      versions: [...versions.values()],
    });
    byText.set(text, id);
    characters += text.length;
    return id;
  };
  const internInner = (inner: readonly number[]): number => {
    const key = inner.join();
    let id = byInner.get(key);
    if (id !== undefined) return id;
    if (!compounds) throw new Error('no compounds were declared');
    const members = inner.flatMap((each) => parts[each] ?? []);
    const value = compounds.join(members.map((each) => each.value));
    id = keep({ value, text: '', inner, ...versionsOf(members) });
    byInner.set(key, id);
    return id;
  };
  const intern = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return internText(JSON.stringify(value ?? null));
    const known = byValue.get(value);
    if (known !== undefined) return known;
    const inner = compounds?.split(value);
    const id = inner ? internInner(inner.map(intern)) : internText(JSON.stringify(value));
    byValue.set(value, id);
    return id;
  };
  const inWorld = (uid: number): number => union[uid] ?? 0;
  const renamed = (id: number): number => {
    const { uids = [], versions = [], inner, text = '' } = parts[id] ?? {};
    let name = '';
    for (const [at, named] of versions.entries()) {
      const uid = uids[at] ?? 0;
      if (!isNumbered(named, inWorld(uid))) name += `${uid}:${inWorld(uid)};`;
    }
    if (name === '') return id;
    const known = (renamings[id] ??= new Map());
    let to = known.get(name);
    if (to !== undefined) return to;
    to = inner
      ? internInner(inner.map(renamed))
      : internText(renumbered(text, (uid) => inWorld(numberOf(uid))));
    known.set(name, to);
    return to;
  };

  return {
    row(values) {
      const row = values.map(intern);
      for (const id of row) {
        const { uids = [], versions = [] } = parts[id] ?? {};
        for (let at = 0; at < uids.length; at++) {
          const uid = uids[at] ?? 0;
          if (union[uid] === 0) touched.push(uid);
          union[uid] = inWorld(uid) | (versions[at]?.firm ?? 0);
        }
      }
      const result = row.map(renamed);
      for (const uid of touched) union[uid] = 0;
      touched.length = 0;
      return result;
    },
    value: (id) => parts[id]?.value,
    get size() {
      return parts.length;
    },
    get characters() {
      return characters;
    },
    digest() {
      const hash = createHash('sha256');
      for (const text of byText.keys()) hash.update(text);
      return hash.digest('hex').slice(0, 16);
    },
  };
}

/** Returns the versions that all members of a compound name. */
function versionsOf(members: readonly Part[]): Pick<Part, 'uids' | 'versions'> {
  const found = new Map<number, Named>();
  for (const { uids, versions } of members)
    for (const [at, uid] of uids.entries()) {
      const { firm = 0, loose = 0 } = versions[at] ?? {};
      const named = found.get(uid);
      found.set(uid, { firm: firm | (named?.firm ?? 0), loose: loose | (named?.loose ?? 0) });
    }
  return { uids: [...found.keys()], versions: [...found.values()] };
}
