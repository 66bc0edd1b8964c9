const MINUTE_MS = 60_000;
const MINUTES = 60;

/** Count of the last hour, in buckets of a minute. Its size does not depend on the number of events. */
export class HourCount {
  readonly #buckets = Array.from({ length: MINUTES }, () => 0);
  #minute = 0;

  add(nowMs: number): void {
    this.#advance(nowMs);
    const at = this.#minute % MINUTES;
    this.#buckets[at] = (this.#buckets[at] ?? 0) + 1;
  }

  total(nowMs: number): number {
    this.#advance(nowMs);
    return this.#buckets.reduce((sum, each) => sum + each, 0);
  }

  /** Clears the buckets of the minutes that have begun since the last call. A clock set back changes nothing. */
  #advance(nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    const first = Math.max(this.#minute + 1, minute - MINUTES + 1);
    for (let each = first; each <= minute; each++) this.#buckets[each % MINUTES] = 0;
    this.#minute = Math.max(this.#minute, minute);
  }
}
