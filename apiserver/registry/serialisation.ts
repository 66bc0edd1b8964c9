import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { isObject } from '../../api/schema/own.ts';
import type { ManagedFieldsEntry } from '../../api/types/meta-v1.ts';
import { unstampResourceVersion } from '../storage/stamp.ts';
import { normalised } from './decoding.ts';
import type { Resource } from './resource.ts';

/** An object as it is stored: canonical, kind, apiVersion and metadata first, without a resource version. */
export interface Serialised {
  readonly bytes: Buffer;
  /** What `bytes` would be parsed to. */
  readonly object: DeepReadonly<ApiObject>;
}

export function serialised(resource: Pick<Resource, 'kind' | 'typeMeta'>, object: ApiObject): Serialised {
  const { managedFields, ...given } = object.metadata ?? {};
  const canonical: DeepReadonly<ApiObject> = normalised(resource, { ...object, metadata: given });
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = canonical;
  const { resourceVersion: _resourceVersion, ...meta } = metadata ?? {};
  // Large, canonical as they were recorded, and last among metadata: only written again.
  const owners = managedFields && managedFields.length > 0 ? managedFields : undefined;
  const head = JSON.stringify({ ...resource.typeMeta, metadata: meta }).slice(0, -2);
  const text = [
    head,
    owners ? `${Object.keys(meta).length > 0 ? ',' : ''}"managedFields":${ownersText(owners)}` : '',
    '}',
    Object.keys(rest).length > 0 ? `,${JSON.stringify(rest).slice(1)}` : '}',
  ].join('');
  return {
    bytes: Buffer.from(text),
    object: {
      ...resource.typeMeta,
      metadata: { ...meta, ...(owners ? { managedFields: owners } : {}) },
      ...rest,
    },
  };
}

export const toStoredBytes = (resource: Pick<Resource, 'kind' | 'typeMeta'>, object: ApiObject): Buffer =>
  serialised(resource, object).bytes;

const fieldTexts = new WeakMap<object, string>();

/** Fields of owners are the same in write after write; so is their text. */
function ownersText(owners: readonly ManagedFieldsEntry[]): string {
  const entries = owners.map((entry) => {
    const { fieldsV1 } = entry;
    if (!isObject(fieldsV1)) return JSON.stringify(entry);
    let fields = fieldTexts.get(fieldsV1);
    if (fields === undefined) fieldTexts.set(fieldsV1, (fields = JSON.stringify(fieldsV1)));
    const members = Object.entries(entry).flatMap(([name, value]) =>
      value === undefined ? [] : [`"${name}":${value === fieldsV1 ? fields : JSON.stringify(value)}`],
    );
    return `{${members.join(',')}}`;
  });
  return `[${entries.join(',')}]`;
}

/** Equality of what would be stored: undefined counts as absent, the order of keys does not matter. */
export function equalStored(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left))
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equalStored(item, right[index]))
    );
  if (!isObject(left) || !isObject(right)) return false;
  let members = 0;
  for (const key of Object.keys(left)) {
    const value = left[key];
    if (value === undefined) continue;
    if (!Object.hasOwn(right, key) || !equalStored(value, right[key])) return false;
    members += 1;
  }
  for (const key of Object.keys(right)) if (right[key] !== undefined) members -= 1;
  return members === 0;
}

/** Whether storing `bytes` in place of `stored` would change nothing but the version. */
export function isUnchanged(bytes: Buffer, stored: Buffer): boolean {
  const before = unstampResourceVersion(stored);
  if (before.equals(bytes)) return true;
  // The same fields in another order have the same length; only then is the dearer comparison worth it.
  return (
    before.length === bytes.length &&
    isDeepStrictEqual(JSON.parse(before.toString('utf8')), JSON.parse(bytes.toString('utf8')))
  );
}
