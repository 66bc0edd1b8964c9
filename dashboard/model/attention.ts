import type { AttentionItem } from '../../runtime/journal/index.ts';
import type { View } from './view.ts';

/** List of what needs attention, the oldest condition first. */
export interface AttentionDocument {
  readonly kind: 'Attention';
  readonly atMs: number;
  /** Number of items that match, on all pages. */
  readonly total: number;
  readonly items: readonly AttentionItem[];
  /** Values that the filters accept, from all items. */
  readonly namespaces: readonly string[];
  readonly controllers: readonly string[];
  readonly kinds: readonly string[];
}

const ROWS = 200;
const ROWS_AT_MOST = 5_000;

/**
 * Returns the items that match the query: `namespace`, `controller`, `kind` (of the object, in any case or its
 * plural), `name`, `key` and `limit`. Undefined without a list.
 */
export function attentionOf(
  { attention, nowMs }: View,
  query: URLSearchParams,
): AttentionDocument | undefined {
  if (attention === undefined) return undefined;
  const all = attention();
  const found = all.filter((item) => matches(item, query));
  const limit = Number(query.get('limit') ?? ROWS);
  const rows = Number.isSafeInteger(limit) && limit >= 0 ? Math.min(limit, ROWS_AT_MOST) : ROWS;
  return {
    kind: 'Attention',
    atMs: nowMs,
    total: found.length,
    items: found.slice(0, rows),
    namespaces: distinct(all.map(namespaceOf)),
    controllers: distinct(all.map(({ controller }) => controller)),
    kinds: distinct(all.map(({ object }) => object?.kind)),
  };
}

/** Namespace of an item's object. A namespace is in itself, so that its filter shows why it remains. */
const namespaceOf = ({ object }: AttentionItem): string | undefined =>
  object?.namespace ?? (object?.kind === 'Namespace' ? object.name : undefined);

function matches(item: AttentionItem, query: URLSearchParams): boolean {
  const { object, controller, key } = item;
  const kind = query.get('kind')?.toLowerCase() ?? '';
  return (
    equals(query.get('namespace'), namespaceOf(item)) &&
    equals(query.get('controller'), controller) &&
    equals(query.get('name'), object?.name) &&
    equals(query.get('key'), key ?? keyOf(item)) &&
    (kind === '' || [object?.kind.toLowerCase(), object?.plural].includes(kind))
  );
}

const keyOf = ({ object }: AttentionItem): string | undefined =>
  object && (object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`);

const equals = (wanted: string | null, value: string | undefined): boolean =>
  wanted === null || wanted === '' || wanted === value;

const distinct = (values: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(values.filter((each) => each !== undefined))].sort();
