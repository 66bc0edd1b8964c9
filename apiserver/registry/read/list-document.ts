import type { AnyKind } from '../../../api/kinds/scheme.ts';
import { withoutTypeMeta } from '../../storage/stamp.ts';
import { type InList, joinValues } from '../../watch/entries.ts';
import type { Entry } from '../../watch/watch-cache.ts';
import type { Encoded, EncodedList } from '../registry.ts';
import { type Resource, encoded } from '../resource.ts';

const TAIL = Buffer.from(']}');

export interface ListContent {
  readonly revision: number;
  readonly items: readonly Value[];
  /** Where the next page goes on; '' at the end. */
  readonly continueToken?: string;
  readonly remainingItemCount?: number | undefined;
  /** `items` joined by commas, where somebody has them ready. */
  readonly joined?: () => readonly Buffer[];
}

/** A stored object, from the store or from the cache. */
export interface Value {
  readonly key: string;
  readonly value: Buffer;
  readonly object?: Entry['object'];
}

/** Stored bytes with their object; the cache's own where they are from there. */
export const toEncoded = (value: Value): Encoded => {
  if (!('object' in value)) return encoded(value.value);
  return new EncodedEntry(value as Entry);
};

/** What the cache holds of an object: its bytes, and the object once for all who ask for it. */
export class EncodedEntry implements Encoded {
  readonly bytes: Buffer;
  readonly #entry: Entry;

  constructor(entry: Entry) {
    this.bytes = entry.value;
    this.#entry = entry;
  }

  get object(): Entry['object'] {
    return this.#entry.object;
  }
}

/** A list document around stored bytes. Those who want another form of the items never ask for `chunks`: nothing is joined for them. */
export const toEncodedList = (resource: Resource, content: ListContent): EncodedList =>
  new ListDocument(resource, content);

class ListDocument implements EncodedList {
  readonly resourceVersion: string;
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
  readonly #resource: Resource;
  readonly #content: ListContent;
  #joined: readonly Buffer[] | undefined;
  #wrapped: readonly Encoded[] | undefined;

  constructor(resource: Resource, content: ListContent) {
    this.resourceVersion = String(content.revision);
    this.continueToken = content.continueToken ?? '';
    this.remainingItemCount = content.remainingItemCount;
    this.#resource = resource;
    this.#content = content;
  }

  get chunks(): readonly Buffer[] {
    const { items, joined } = this.#content;
    this.#joined ??= [
      Buffer.from(`${this.#head().slice(0, -1)},"items":[`),
      ...(joined?.() ?? joinValues(items, inListOf(this.#resource.kind))),
      TAIL,
    ];
    return this.#joined;
  }

  get items(): readonly Encoded[] {
    this.#wrapped ??= this.#content.items.map(toEncoded);
    return this.#wrapped;
  }

  #head(): string {
    const { kind, typeMeta } = this.#resource;
    const { resourceVersion, continueToken, remainingItemCount } = this;
    return JSON.stringify({
      kind: kind.listKind ?? `${typeMeta.kind}List`,
      apiVersion: typeMeta.apiVersion,
      metadata: {
        resourceVersion,
        // An untyped list says so, too, where it does not go on, as upstream's do.
        ...(continueToken === '' && kind.schema.root === undefined ? {} : { continue: continueToken }),
        ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
      },
    });
  }
}

/**
 * Items of a typed list have no kind and apiVersion of their own, as the list says both (release 1.24); objects of custom
 * kinds have no type that they could be read into without them.
 */
export const inListOf = ({ schema }: Pick<AnyKind, 'schema'>): InList =>
  schema.root === undefined ? withoutTypeMeta : whole;

const whole: InList = (value) => [value];
