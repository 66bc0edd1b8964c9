import { type Alias, Scalar, type ScalarTag, type Tags, isAlias, isMap, isSeq } from 'yaml';

/** Tag of the key `<<`, which puts the members of other mappings in. */
export const MERGE = 'tag:yaml.org,2002:merge';

type Context = NonNullable<Parameters<Alias['resolve']>[1]>;
type Target = Map<unknown, unknown> | object;

/** The tags with one that merges as Go's reader does: in the order of the keys, so that `{b: 9, <<: {b: 2}}` has b 2. */
export const mergingInOrder = (tags: Tags): Tags =>
  tags.map((tag) =>
    typeof tag !== 'string' && tag.tag === MERGE ? { ...(tag as ScalarTag), resolve: mergeKey } : tag,
  );

const mergeKey = (): Scalar => Object.assign(new Scalar(Symbol('<<')), { addToJSMap: mergeInto });

/** Of several mappings the first that has a key counts. Throws as the library does for what is no mapping. */
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
