/** Members sorted by score, then by name, as in Redis. */
export class SortedSet {
  readonly #scores: Map<string, number>;
  /** Members in order; undefined if they must be sorted first. */
  #order: string[] | undefined;

  constructor(scores: Iterable<readonly [string, number]> = []) {
    this.#scores = new Map(scores);
  }

  get size(): number {
    return this.#scores.size;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  /** Adds a member, or changes its score. */
  set(member: string, score: number): void {
    const before = this.#scores.get(member);
    if (before === score) return;
    if (before !== undefined) this.delete(member);
    this.#order?.splice(this.#placeOf(member, score), 0, member);
    this.#scores.set(member, score);
  }

  delete(member: string): boolean {
    const score = this.#scores.get(member);
    if (score === undefined) return false;
    this.#order?.splice(this.#placeOf(member, score), 1);
    return this.#scores.delete(member);
  }

  /** Returns the members in order. */
  members(): readonly string[] {
    this.#order ??= [...this.#scores.keys()].sort((a, b) => this.#compare(a, this.#of(a), b));
    return this.#order;
  }

  /** Returns at most `limit` members with a score from `min` to `max`, in order. */
  within(min: number, max: number, limit = Infinity): string[] {
    const members = this.members();
    const found = [];
    for (let at = this.#firstFrom(min); at < members.length && found.length < limit; at++) {
      const member = members[at] ?? '';
      if (this.#of(member) > max) break;
      found.push(member);
    }
    return found;
  }

  copy(): SortedSet {
    return new SortedSet(this.#scores);
  }

  #of(member: string): number {
    return this.#scores.get(member) ?? 0;
  }

  #compare(a: string, score: number, b: string): number {
    const difference = score - this.#of(b);
    if (difference !== 0) return difference;
    return a < b ? -1 : Number(a > b);
  }

  /** Returns the index of a member with this score, or the index at which to insert it. */
  #placeOf(member: string, score: number): number {
    return this.#search((other) => this.#compare(member, score, other) > 0);
  }

  #firstFrom(min: number): number {
    return this.#search((other) => this.#of(other) < min);
  }

  /** Returns the number of members for which `before` is true. These members come first. */
  #search(before: (member: string) => boolean): number {
    const members = this.members();
    let low = 0;
    let high = members.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(members[middle] ?? '')) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
