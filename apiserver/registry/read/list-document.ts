import type { AnyKind } from '../../../api/kinds/index.ts';
import { withoutTypeMeta } from '../../storage/stamp.ts';
import { type InList, joinValues } from '../../watch/entries.ts';
import type { Entry } from '../../watch/watch-cache.ts';
import type { Encoded, EncodedList } from '../registry.ts';
import { type Resource, encoded } from '../resource.ts';

const TAIL = Buffer.from(']}');

/** Contents of a list response. */
export interface ListContent {
  readonly revision: number;
  readonly items: readonly Value[];
  /** Position of the next page; empty on the last page. */
  readonly continueToken?: string;
  readonly remainingItemCount?: number | undefined;
  /** Returns `items` joined by commas. Undefined if the cache does not hold the items in that form. */
  readonly joined?: () => readonly Buffer[];
}

/** Stored object, from the store or from the cache. */
export interface Value {
  readonly key: string;
  readonly value: Buffer;
  readonly object?: Entry['object'];
}

/** Returns stored bytes with their object. A cache entry shares its parsed object. */
export const toEncoded = (value: Value): Encoded => {
  if (!('object' in value)) return encoded(value.value);
  return new EncodedEntry(value as Entry);
};

/** Cache entry as encoded bytes with the parsed object that all readers share. */
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

/**
 * Creates a list response from stored bytes. They are joined only when `chunks` is read, so that other output
 * formats do not pay for the join.
 */
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
        // Upstream's untyped lists have an empty `continue` on the last page.
        ...(continueToken === '' && kind.schema.root === undefined ? {} : { continue: continueToken }),
        ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
      },
    });
  }
}

/**
 * Returns the form of an object inside a list. Items of a typed list have no kind and apiVersion, as the list
 * states both (release 1.24). Items of custom kinds have both: without a Go type, clients could not decode
 * them otherwise.
 */
export const inListOf = ({ schema }: Pick<AnyKind, 'schema'>): InList =>
  schema.root === undefined ? withoutTypeMeta : whole;

const whole: InList = (value) => [value];
