import { type AnyKind, type Scheme, createScheme } from '../api/kinds/index.ts';
import type { Vocabulary } from '../api/vocabulary/index.ts';

/**
 * Which kinds there are now: the program's own, and those that definitions in the cluster add and take away. Both schemes
 * are views of the present: who holds one sees every change, and their `kinds` are another array after each.
 */
export interface Catalogue {
  /** All that objects can be of. */
  readonly kept: Scheme;
  /** What clients can reach. */
  readonly served: Scheme;
  /**
   * The custom kinds there are from now on. One in the place of a built-in kind is passed over, and so is one of a group
   * and version that are built in and served: as a whole they belong to the program (release 1.24 routes by them).
   */
  replaceCustom(kinds: readonly AnyKind[]): void;
  /** Called after each change; returns what ends that. */
  subscribe(run: () => void): () => void;
}

export interface CatalogueOptions {
  readonly builtIn: Scheme;
  /** Which of the built-in kinds clients can reach; default all. Custom kinds are always served. */
  readonly serves?: (kind: AnyKind) => boolean;
}

export function createCatalogue({ builtIn, serves = () => true }: CatalogueOptions): Catalogue {
  const { vocabulary } = builtIn;
  const reachable = createScheme(vocabulary, builtIn.kinds.filter(serves));
  const own = new Set(reachable.kinds.map(reachable.apiVersionOf));
  const observers = new Set<() => void>();
  let custom = createScheme(vocabulary, []);
  return {
    kept: new Union(vocabulary, builtIn, () => custom),
    served: new Union(vocabulary, reachable, () => custom),
    replaceCustom(kinds) {
      const added = kinds.filter(
        ({ group, version, plural }) =>
          !own.has(builtIn.apiVersionOf({ group, version })) &&
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

/** Built-in kinds are looked up first: they cost what they cost without custom ones. */
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
