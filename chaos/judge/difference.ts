import { equalJson } from '../../api/schema/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import type { WireObject } from './wire-history.ts';

/** Values at one path in two versions of an object; undefined where the path is missing. */
export interface Difference {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Metadata fields that every write changes. */
const KEPT_BY_SERVER = new Set(['resourceVersion', 'managedFields', 'generation', 'selfLink']);

/**
 * Returns the object without the metadata that the API server maintains. `kind` and `apiVersion` are left
 * out, because the items of a list have none.
 */
export const contentOf = ({
  metadata,
  kind: _kind,
  apiVersion: _version,
  ...fields
}: WireObject): Readonly<Record<string, unknown>> => ({
  ...fields,
  metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => !KEPT_BY_SERVER.has(name))),
});

/** Returns JSON with sorted keys, so that equal values have equal JSON. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  ) ?? 'undefined';

/**
 * Returns the differences between two versions. Lists count as one value. Objects without content, which
 * tables contain, are compared by their metadata.
 */
export const differences = (from: WireObject, to: WireObject): readonly Difference[] =>
  [from, to].some(({ kind }) => kind === 'PartialObjectMetadata')
    ? compare('.metadata', contentOf(from)['metadata'], contentOf(to)['metadata'])
    : compare('', contentOf(from), contentOf(to));

function compare(path: string, from: unknown, to: unknown): readonly Difference[] {
  if (isRecord(from) && isRecord(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names].flatMap((name) => compare(`${path}.${name}`, from[name], to[name]));
  }
  return equalJson(from, to) ? [] : [{ path: path.slice(1), from, to }];
}

/** Returns the value at the path of a difference; undefined if the path is missing. */
export const valueAt = (object: WireObject, path: string): unknown => walk(contentOf(object), path);

function walk(value: unknown, path: string): unknown {
  if (path === '') return value;
  if (!isRecord(value)) return undefined;
  // Keys of labels and annotations contain dots, so the longest matching key wins.
  for (const name of Object.keys(value).sort((a, b) => b.length - a.length)) {
    if (path === name) return value[name];
    if (path.startsWith(`${name}.`)) return walk(value[name], path.slice(name.length + 1));
  }
  return undefined;
}
