import type { AnyKind } from '../kinds/scheme.ts';

/** Called once for each kind that cannot be published. */
export type OnUnpublishable = (kind: AnyKind, why: unknown) => void;

/**
 * The kinds that documents can describe. A single kind that cannot be written would deprive all clients of
 * the document. Such a kind is found when a document fails, reported, and left out from then on.
 */
export class Publishable {
  readonly #leftOut = new WeakSet<AnyKind>();
  readonly #onUnpublishable: OnUnpublishable;

  constructor(onUnpublishable: OnUnpublishable) {
    this.#onUnpublishable = onUnpublishable;
  }

  of(kinds: readonly AnyKind[]): readonly AnyKind[] {
    return kinds.some((kind) => this.#leftOut.has(kind))
      ? kinds.filter((kind) => !this.#leftOut.has(kind))
      : kinds;
  }

  /** Calls `make` with the publishable kinds. Rethrows its error if no kind is the cause. */
  made<T>(kinds: readonly AnyKind[], make: (kinds: readonly AnyKind[]) => T): T {
    const present = this.of(kinds);
    try {
      return make(present);
    } catch (thrown) {
      const found = unmakeable(present, make);
      if (found.size === 0) throw thrown;
      for (const [kind, why] of found) {
        this.#leftOut.add(kind);
        this.#onUnpublishable(kind, why);
      }
      return make(this.of(present));
    }
  }
}

/** Returns the kinds for which `make` throws, with the error. Bisects, because such kinds are few. */
function unmakeable(
  kinds: readonly AnyKind[],
  make: (kinds: readonly AnyKind[]) => unknown,
): ReadonlyMap<AnyKind, unknown> {
  try {
    make(kinds);
    return new Map();
  } catch (thrown) {
    const [only, ...others] = kinds;
    if (only !== undefined && others.length === 0) return new Map([[only, thrown]]);
    if (only === undefined) return new Map();
    const middle = kinds.length >> 1;
    return new Map([...unmakeable(kinds.slice(0, middle), make), ...unmakeable(kinds.slice(middle), make)]);
  }
}
