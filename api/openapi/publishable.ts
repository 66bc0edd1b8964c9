import type { AnyKind } from '../kinds/scheme.ts';

/** Called once for each kind that cannot be published. */
export type OnUnpublishable = (kind: AnyKind, why: unknown) => void;

/**
 * The kinds that the documents can describe. A single kind that cannot be written would deprive all clients
 * of the document. When writing a document fails, the kinds that cause the failure are found, reported, and
 * omitted from then on.
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

  /** Calls `make` with the publishable kinds. Rethrows the error of `make` if no single kind causes it. */
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

/**
 * Returns the kinds for which `make` throws, with the error. Bisects the list, because few kinds cause
 * errors.
 */
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
