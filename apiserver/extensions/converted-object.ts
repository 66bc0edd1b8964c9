import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { cloneJson, isObject, setOwn } from '../../api/schema/index.ts';
import { validateAnnotations, validateLabels } from '../../api/validation/index.ts';

/** Fault of a converted object: the affected part and the reason. */
export type Problem = readonly [what: 'object at index 0' | 'object' | 'metadata in object', why: string];

/** Converted object with the original's metadata, or the fault of the converted object. */
export type Restored =
  | { readonly value: ApiObject; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: Problem };

/**
 * Returns an object that a webhook has converted, with the metadata of the original. The webhook may change
 * only labels and annotations of the metadata. The converted object must have the identity of the original
 * and the requested version.
 */
export function restored(
  original: DeepReadonly<ApiObject>,
  converted: unknown,
  apiVersion: string,
): Restored {
  if (!isObject(converted)) return { problem: ['object', 'it is not an object'] };
  const { apiVersion: received } = converted;
  if (received !== apiVersion)
    return {
      problem: [
        'object at index 0',
        `invalid groupVersion (expected ${apiVersion}, received ${String(received ?? '')})`,
      ],
    };
  const other = difference(original, converted);
  if (other !== undefined) return { problem: ['object', other] };
  const { metadata } = converted;
  const why = metadata === undefined ? 'missing metadata in converted object' : undefined;
  if (why !== undefined) return { problem: ['metadata in object', why] };
  if (!isObject(metadata))
    return {
      problem: ['metadata in object', `invalid metadata of type ${goType(metadata)} in converted object`],
    };
  return withMetadata(original, converted, metadata);
}

/** Returns the difference between the identities of two objects. Returns undefined if they are equal. */
function difference(
  original: DeepReadonly<ApiObject>,
  converted: Record<string, unknown>,
): string | undefined {
  if (converted['kind'] !== original.kind)
    return `must have the same kind: ${original.kind ?? ''} != ${String(converted['kind'] ?? '')}`;
  const metadata = isObject(converted['metadata']) ? converted['metadata'] : {};
  for (const [label, field] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['UID', 'uid'],
  ] as const) {
    const [before, after] = [original.metadata?.[field] ?? '', metadata[field] ?? ''];
    if (before !== after) return `must have the same ${label}: ${before} != ${String(after)}`;
  }
  return undefined;
}

function withMetadata(
  original: DeepReadonly<ApiObject>,
  converted: Record<string, unknown>,
  given: Record<string, unknown>,
): Restored {
  const metadata = cloneJson(original.metadata ?? {}) as Record<string, unknown>;
  for (const [field, validate] of [
    ['labels', validateLabels],
    ['annotations', validateAnnotations],
  ] as const) {
    const map = given[field];
    delete metadata[field];
    if (map === undefined || map === null) continue;
    const problem = isObject(map)
      ? mapProblem(field, map, validate)
      : `invalid metadata.${field} of type ${goType(map)} in converted object`;
    if (problem !== undefined) return { problem: ['metadata in object', problem] };
    setOwn(metadata, field, map);
  }
  return { value: { ...(converted as ApiObject), metadata } };
}

function mapProblem(
  field: string,
  map: Record<string, unknown>,
  validate: typeof validateLabels,
): string | undefined {
  for (const [key, value] of Object.entries(map))
    if (typeof value !== 'string')
      return `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`;
  const [first] = validate(map as Record<string, string>, `metadata.${field}`);
  return first && `${first.field}: ${first.message}`;
}

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
