import type { AnyKind } from '../../api/kinds/scheme.ts';
import { withoutTypeMeta } from '../storage/stamp.ts';
import { type InList, joinValues } from '../watch/entries.ts';
import type { Entry } from '../watch/watch-cache.ts';
import type { Encoded, EncodedList } from './registry.ts';
import { type Resource, encoded } from './resource.ts';

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
  return {
    bytes: value.value,
    get object() {
      return (value as Entry).object;
    },
  };
};

/** A list document around stored bytes. Those who want another form of the items never ask for `chunks`: nothing is joined for them. */
export function toEncodedList({ kind, typeMeta }: Resource, content: ListContent): EncodedList {
  const { items, revision, continueToken = '', remainingItemCount } = content;
  const head = JSON.stringify({
    kind: kind.listKind ?? `${typeMeta.kind}List`,
    apiVersion: typeMeta.apiVersion,
    metadata: {
      resourceVersion: String(revision),
      // An untyped list says so, too, where it does not go on, as upstream's do.
      ...(continueToken === '' && kind.schema.root === undefined ? {} : { continue: continueToken }),
      ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    },
  });
  let joined: readonly Buffer[] | undefined;
  let wrapped: readonly Encoded[] | undefined;
  return {
    resourceVersion: String(revision),
    continueToken,
    remainingItemCount,
    get chunks() {
      joined ??= [
        Buffer.from(`${head.slice(0, -1)},"items":[`),
        ...(content.joined?.() ?? joinValues(items, inListOf(kind))),
        TAIL,
      ];
      return joined;
    },
    get items() {
      wrapped ??= items.map(toEncoded);
      return wrapped;
    },
  };
}

/**
 * Items of a typed list have no kind and apiVersion of their own, as the list says both (release 1.24); objects of custom
 * kinds have no type that they could be read into without them.
 */
export const inListOf = ({ schema }: Pick<AnyKind, 'schema'>): InList =>
  schema.root === undefined ? withoutTypeMeta : whole;

const whole: InList = (value) => [value];
