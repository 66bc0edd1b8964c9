import type { Clock } from '../../base/clock/index.ts';
import { List } from './list.ts';
import { SortedSet } from './sorted-set.ts';

type Hash = Map<string, string>;
type Value = string | Hash | List | SortedSet | Set<string>;

/** Value in a hash, list or set; Redis stores numbers as strings. */
export type Text = string | number;

/** All keys with their values and expiries, opaque to callers. */
export interface Keys {
  readonly values: ReadonlyMap<string, Value>;
  readonly expiries: ReadonlyMap<string, number>;
}

const copyOf = (value: Value): Value => {
  if (typeof value === 'string') return value;
  if (value instanceof Map) return new Map(value);
  return value instanceof Set ? new Set(value) : value.copy();
};

const wrongType = (): Error => new Error('WRONGTYPE Operation against a key holding the wrong kind of value');

const toWhole = (value: string): number => {
  if (!/^-?\d+$/.test(value)) throw new Error('ERR value is not an integer or out of range');
  return Number(value);
};

const isWhole = (member: string): boolean => /^(?:0|-?[1-9]\d*)$/.test(member);

/**
 * Data of a Redis server: keys with expiry, and the operations that BullMQ and the queues use. An empty
 * collection does not exist, as in Redis.
 */
export class Keyspace {
  readonly #clock: Clock;
  #values = new Map<string, Value>();
  /** Last millisecond of the wall clock at which a key exists, by key. */
  #expiries = new Map<string, number>();
  readonly #appeared = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return Math.floor(this.#clock.now());
  }

  keep(): Keys {
    const values = new Map([...this.#values].map(([key, value]) => [key, copyOf(value)]));
    return { values, expiries: new Map(this.#expiries) };
  }

  putBack(keys: Keys): void {
    this.#values = new Map([...keys.values].map(([key, value]) => [key, copyOf(value)]));
    this.#expiries = new Map(keys.expiries);
    for (const [key, value] of keys.values) if (value instanceof SortedSet) this.#appeared.add(key);
  }

  names(): readonly string[] {
    return [...this.#values.keys()];
  }

  exists(key: string): boolean {
    return this.#read(key) !== undefined;
  }

  delete(key: string): boolean {
    const was = this.exists(key);
    this.#drop(key);
    return was;
  }

  rename(from: string, to: string): void {
    const value = this.#read(from);
    if (value === undefined) return;
    this.#drop(from);
    this.#values.set(to, value);
  }

  expireIn(key: string, ms: number): void {
    if (this.exists(key)) this.#expiries.set(key, this.nowMs() + ms);
  }

  persist(key: string): void {
    this.#expiries.delete(key);
  }

  /**
   * Returns the time until a key expires in milliseconds; -1 if the key does not expire, -2 if it does not
   * exist.
   */
  leftMs(key: string): number {
    if (!this.exists(key)) return -2;
    const expiry = this.#expiries.get(key);
    return expiry === undefined ? -1 : Math.max(0, expiry - this.nowMs());
  }

  get(key: string): string | undefined {
    const value = this.#read(key);
    if (value === undefined || typeof value === 'string') return value;
    throw wrongType();
  }

  /** Sets a value. Without `forMs`, the value never expires. */
  set(key: string, value: Text, forMs?: number): void {
    this.#values.set(key, String(value));
    this.#expiries.delete(key);
    if (forMs !== undefined) this.expireIn(key, forMs);
  }

  setAndKeepExpiry(key: string, value: Text): void {
    const expiry = this.exists(key) ? this.#expiries.get(key) : undefined;
    this.set(key, value);
    if (expiry !== undefined) this.#expiries.set(key, expiry);
  }

  increment(key: string): number {
    const next = toWhole(this.get(key) ?? '0') + 1;
    this.setAndKeepExpiry(key, next);
    return next;
  }

  hash(key: string): ReadonlyMap<string, string> {
    return this.#typed<Hash>(key, Map) ?? new Map();
  }

  field(key: string, name: string): string | undefined {
    return this.#typed<Hash>(key, Map)?.get(name);
  }

  /** Sets alternating fields and values of a hash. Returns the number of new fields. */
  setFields(key: string, ...fields: readonly Text[]): number {
    const hash = this.#made<Hash>(key, Map);
    const before = hash.size;
    for (let i = 0; i < fields.length; i += 2) hash.set(String(fields[i]), String(fields[i + 1] ?? ''));
    return hash.size - before;
  }

  deleteFields(key: string, ...names: readonly string[]): number {
    const hash = this.#typed<Hash>(key, Map);
    const deleted = names.filter((name) => hash?.delete(name)).length;
    this.#dropIfEmpty(key, hash?.size);
    return deleted;
  }

  incrementField(key: string, name: string): number {
    const next = toWhole(this.field(key, name) ?? '0') + 1;
    this.setFields(key, name, next);
    return next;
  }

  length(key: string): number {
    return this.#typed(key, List)?.length ?? 0;
  }

  push(key: string, item: string, side: 'left' | 'right'): void {
    const list = this.#made(key, List);
    if (side === 'left') list.pushLeft(item);
    else list.pushRight(item);
  }

  /** Moves the last item of one list to the head of another list. */
  shift(from: string, to: string): string | undefined {
    const list = this.#typed(from, List);
    const item = list?.popRight();
    if (item === undefined) return undefined;
    this.#dropIfEmpty(from, list?.length);
    this.push(to, item, 'left');
    return item;
  }

  removeItem(key: string, item: string, from: 'left' | 'right'): boolean {
    const list = this.#typed(key, List);
    const removed = list?.remove(item, from) ?? false;
    this.#dropIfEmpty(key, list?.length);
    return removed;
  }

  indexOf(key: string, item: string): number | undefined {
    return this.#typed(key, List)?.indexOf(item);
  }

  range(key: string, start = 0, stop = -1): string[] {
    return this.#typed(key, List)?.range(start, stop) ?? [];
  }

  sorted(key: string): Omit<SortedSet, 'set' | 'delete'> {
    return this.#typed(key, SortedSet) ?? new SortedSet();
  }

  score(key: string, member: string): number | undefined {
    return this.#typed(key, SortedSet)?.score(member);
  }

  setScore(key: string, member: string, score: number): void {
    if (!this.exists(key)) this.#appeared.add(key);
    this.#made(key, SortedSet).set(member, score);
  }

  /** Returns the sorted sets that were created since the last call. */
  takeAppeared(): readonly string[] {
    if (this.#appeared.size === 0) return [];
    const appeared = [...this.#appeared];
    this.#appeared.clear();
    return appeared;
  }

  removeMembers(key: string, ...members: readonly string[]): number {
    const set = this.#typed(key, SortedSet);
    const removed = members.filter((member) => set?.delete(member)).length;
    this.#dropIfEmpty(key, set?.size);
    return removed;
  }

  /** Removes the first member of a sorted set and returns it. */
  popFirst(key: string): readonly [member: string, score: number] | undefined {
    const set = this.#typed(key, SortedSet);
    const first = set?.members()[0];
    if (set === undefined || first === undefined) return undefined;
    const score = set.score(first) ?? 0;
    this.removeMembers(key, first);
    return [first, score];
  }

  addToSet(key: string, members: readonly string[]): void {
    const set = this.#made<Set<string>>(key, Set);
    for (const member of members) set.add(member);
  }

  removeFromSet(key: string, member: string): void {
    const set = this.#typed<Set<string>>(key, Set);
    set?.delete(member);
    this.#dropIfEmpty(key, set?.size);
  }

  /** Returns the members of a set. Integers are sorted, as in Redis's compact encoding of small sets. */
  setMembers(key: string): string[] {
    const members = [...(this.#typed<Set<string>>(key, Set) ?? [])];
    return members.every(isWhole) ? members.sort((a, b) => Number(a) - Number(b)) : members;
  }

  #read(key: string): Value | undefined {
    const expiry = this.#expiries.size === 0 ? undefined : this.#expiries.get(key);
    if (expiry !== undefined && this.nowMs() > expiry) this.#drop(key);
    return this.#values.get(key);
  }

  #typed<V extends Value>(key: string, kind: new () => V): V | undefined {
    const value = this.#read(key);
    if (value === undefined || value instanceof kind) return value;
    throw wrongType();
  }

  #made<V extends Value>(key: string, kind: new () => V): V {
    const there = this.#typed(key, kind);
    if (there !== undefined) return there;
    const made = new kind();
    this.#values.set(key, made);
    return made;
  }

  #dropIfEmpty(key: string, size: number | undefined): void {
    if (size === 0) this.#drop(key);
  }

  #drop(key: string): void {
    this.#values.delete(key);
    this.#expiries.delete(key);
  }
}
