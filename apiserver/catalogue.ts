import { type AnyKind, type Scheme, createScheme } from '../api/kinds/index.ts';
import type { Vocabulary } from '../api/vocabulary/index.ts';

/**
 * Current kinds: built-in kinds, and custom kinds that CustomResourceDefinitions add and remove. Both schemes
 * are live views: a holder observes every change, and each change replaces their `kinds` array.
 */
export interface Catalogue {
  /** Scheme of every kind that objects can have, served or not. */
  readonly kept: Scheme;
  /** Scheme of the kinds that clients can reach. */
  readonly served: Scheme;
  /**
   * Replaces the set of custom kinds. A custom kind is ignored if a built-in kind has the same resource. It is also
   * ignored if its group version is built in and served: release 1.24 routes such a group version to the built-in
   * server as a whole.
   */
  replaceCustom(kinds: readonly AnyKind[]): void;
  /** Calls `run` after each change. Returns a function that ends the subscription. */
  subscribe(run: () => void): () => void;
}

export interface CatalogueOptions {
  readonly builtIn: Scheme;
  /**
   * True for a built-in kind that clients can reach. Default: all built-in kinds. Custom kinds are always
   * served.
   */
  readonly serves?: (kind: AnyKind) => boolean;
}

/** Creates a catalogue without custom kinds. */
export function createCatalogue({ builtIn, serves = () => true }: CatalogueOptions): Catalogue {
  const { vocabulary } = builtIn;
  const reachable = createScheme(vocabulary, builtIn.kinds.filter(serves));
  const builtInVersions = new Set(reachable.kinds.map(reachable.apiVersionOf));
  const observers = new Set<() => void>();
  let custom = createScheme(vocabulary, []);
  return {
    kept: new Union(vocabulary, builtIn, () => custom),
    served: new Union(vocabulary, reachable, () => custom),
    replaceCustom(kinds) {
      const added = kinds.filter(
        ({ group, version, plural }) =>
          !builtInVersions.has(builtIn.apiVersionOf({ group, version })) &&
          builtIn.byResource(vocabulary.group(group), version, plural) === undefined,
      );
      if (added.length === custom.kinds.length && added.every((kind, at) => kind === custom.kinds[at]))
        return;
      custom = createScheme(vocabulary, added);
      for (const run of observers) run();
    },
    subscribe(run) {
      const observer = (): void => run();
      observers.add(observer);
      return () => void observers.delete(observer);
    },
  };
}

/**
 * Live scheme of fixed and custom kinds. Fixed kinds are looked up first, so that custom kinds do not slow
 * down their lookup.
 */
class Union implements Scheme {
  readonly vocabulary: Vocabulary;
  readonly apiVersionOf: Scheme['apiVersionOf'];
  readonly typeMetaOf: Scheme['typeMetaOf'];
  readonly #fixed: Scheme;
  readonly #custom: () => Scheme;
  readonly byResource: Scheme['byResource'] = (...named) =>
    this.#fixed.byResource(...named) ?? this.#custom().byResource(...named);
  readonly byApiVersion: Scheme['byApiVersion'] = (...named) =>
    this.#fixed.byApiVersion(...named) ?? this.#custom().byApiVersion(...named);
  #joined: { readonly of: Scheme; readonly kinds: readonly AnyKind[] } | undefined;

  constructor(vocabulary: Vocabulary, fixed: Scheme, custom: () => Scheme) {
    this.vocabulary = vocabulary;
    this.apiVersionOf = fixed.apiVersionOf;
    this.typeMetaOf = fixed.typeMetaOf;
    this.#fixed = fixed;
    this.#custom = custom;
  }

  get kinds(): readonly AnyKind[] {
    const present = this.#custom();
    if (this.#joined?.of !== present)
      this.#joined = { of: present, kinds: [...this.#fixed.kinds, ...present.kinds] };
    return this.#joined.kinds;
  }
}
