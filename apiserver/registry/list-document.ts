import type { Entry } from '../watch/watch-cache.ts';
import type { Encoded, EncodedList } from './registry.ts';
import { type Resource, encoded } from './resource.ts';

/** Chunks of about this size keep the number of writes small and leave room for back-pressure. */
const CHUNK_BYTES = 512 * 1024;
const COMMA = Buffer.from(',');
const TAIL = Buffer.from(']}');

export interface ListContent {
  readonly revision: number;
  readonly items: readonly Value[];
  /** Where the next page goes on; '' at the end. */
  readonly continueToken?: string;
  readonly remainingItemCount?: number | undefined;
  /** `items` joined by commas, where somebody has them ready. */
  readonly joined?: readonly Buffer[];
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

/** A list document around stored bytes; `items` are wrapped when somebody asks for them. */
export function toEncodedList({ kind, typeMeta }: Resource, content: ListContent): EncodedList {
  const { items, revision, continueToken = '', remainingItemCount } = content;
  const head = JSON.stringify({
    kind: kind.listKind ?? `${typeMeta.kind}List`,
    apiVersion: typeMeta.apiVersion,
    metadata: {
      resourceVersion: String(revision),
      ...(continueToken === '' ? {} : { continue: continueToken }),
      ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    },
  });
  let wrapped: readonly Encoded[] | undefined;
  return {
    resourceVersion: String(revision),
    continueToken,
    remainingItemCount,
    chunks: [Buffer.from(`${head.slice(0, -1)},"items":[`), ...(content.joined ?? join(items)), TAIL],
    get items() {
      wrapped ??= items.map(toEncoded);
      return wrapped;
    },
  };
}

function join(items: readonly Value[]): Buffer[] {
  const chunks: Buffer[] = [];
  let parts: Buffer[] = [];
  let bytes = 0;
  items.forEach(({ value }, at) => {
    if (at > 0) parts.push(COMMA);
    parts.push(value);
    bytes += value.length;
    if (bytes < CHUNK_BYTES) return;
    chunks.push(Buffer.concat(parts));
    parts = [];
    bytes = 0;
  });
  if (parts.length > 0) chunks.push(Buffer.concat(parts));
  return chunks;
}
