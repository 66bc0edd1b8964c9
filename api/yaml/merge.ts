import { type Alias, Scalar, type ScalarTag, type Tags, isAlias, isMap, isSeq } from 'yaml';

/** Tag of the merge key `<<` (https://yaml.org/type/merge.html). */
export const MERGE = 'tag:yaml.org,2002:merge';

type Context = NonNullable<Parameters<Alias['resolve']>[1]>;
type Target = Map<unknown, unknown> | object;

/**
 * Returns tags whose merge key behaves as in Go: members are merged at the position of the key, so that `{b:
 * 9, <<: {b: 2}}` has b 2.
 */
export const mergingInOrder = (tags: Tags): Tags =>
  tags.map((tag) =>
    typeof tag !== 'string' && tag.tag === MERGE ? { ...(tag as ScalarTag), resolve: mergeKey } : tag,
  );

const mergeKey = (): Scalar => Object.assign(new Scalar(Symbol('<<')), { addToJSMap: mergeInto });

/**
 * Merges mappings into the target. If several mappings have a key, the first mapping wins. Throws the
 * library's message for a source that is not a mapping.
 */
function mergeInto(context: Context, target: Target, value: unknown): void {
  const source = resolved(context, value);
  const sources: readonly unknown[] = isSeq(source) ? source.items.toReversed() : [source];
  for (const each of sources) {
    const map = resolved(context, each);
    if (!isMap(map)) throw new Error('Merge sources must be maps or map aliases');
    for (const [key, member] of map.toJSON(null, context, Map) as Map<PropertyKey, unknown>)
      put(target, key, member);
  }
}

const resolved = (context: Context, value: unknown): unknown =>
  isAlias(value) ? value.resolve(context.doc, context) : value;

function put(target: Target, key: PropertyKey, value: unknown): void {
  if (target instanceof Map) target.set(key, value);
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
