/** What an `IntrusiveList` strings together: a member holds its neighbours itself, and is in one list at a time. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * A set in the order of insertion, for what comes and goes with every request. A `Set` or `Map` of such moves to a new table
 * every few additions, and each table left behind keeps what was in it alive until the next full garbage collection: what
 * would have been dropped is copied first. A member that has left this list is held by nothing.
 */
export class IntrusiveList<T extends Linked<T>> implements Iterable<T> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first;
  }

  /** At the end. `member` must be in no list. */
  add(member: T): void {
    member.previous = this.#last;
    if (this.#last === undefined) this.#first = member;
    else this.#last.next = member;
    this.#last = member;
    this.#size += 1;
  }

  /** No effect on what is in no list; `member` must not be in another one. */
  delete(member: T): void {
    const { previous, next } = member;
    if (previous === undefined && this.#first !== member) return;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    member.previous = member.next = undefined;
    this.#size -= 1;
  }

  /** Those that are in it now, in order; the one just given may be deleted meanwhile, and no other. */
  *[Symbol.iterator](): Generator<T> {
    for (let member = this.#first, next; member !== undefined; member = next) {
      ({ next } = member);
      yield member;
    }
  }
}
