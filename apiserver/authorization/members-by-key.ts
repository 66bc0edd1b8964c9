/** Map from a key to a set of members. A set is removed when it becomes empty. */
export class MembersByKey<T> {
  readonly #members = new Map<string, Set<T>>();

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  of(key: string): ReadonlySet<T> | undefined {
    return this.#members.get(key);
  }

  add(key: string, member: T): void {
    const set = this.#members.get(key);
    if (set === undefined) this.#members.set(key, new Set([member]));
    else set.add(member);
  }

  delete(key: string, member: T): void {
    const set = this.#members.get(key);
    set?.delete(member);
    if (set?.size === 0) this.#members.delete(key);
  }
}
