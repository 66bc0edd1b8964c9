/** Member of an `IntrusiveList`. It stores its neighbors, and is in at most one list at a time. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * Set in insertion order, for members that are added and removed with every request.
 *
 * A `Set` or `Map` with such members allocates a new table after every few additions. Each old table keeps
 * its members alive until the next full garbage collection, so that short-lived members are copied first. A
 * removed member of an `IntrusiveList` has no remaining reference.
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

  /** Appends `member`, which must not be in a list. */
  add(member: T): void {
    member.previous = this.#last;
    if (this.#last === undefined) this.#first = member;
    else this.#last.next = member;
    this.#last = member;
    this.#size += 1;
  }

  /** Removes `member`. Has no effect if `member` is in no list. `member` must not be in another list. */
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

  /** Iterates over the members in order. During the iteration, only the current member may be removed. */
  *[Symbol.iterator](): Generator<T> {
    for (let member = this.#first, next; member !== undefined; member = next) {
      ({ next } = member);
      yield member;
    }
  }
}
