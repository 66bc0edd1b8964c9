import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { unstampResourceVersion } from '../storage/stamp.ts';
import { normalised } from './decoding.ts';
import type { Resource } from './resource.ts';

/** The object as it is stored: canonical, kind, apiVersion and metadata first, without a resource version. */
export function toStoredBytes(resource: Pick<Resource, 'kind' | 'typeMeta'>, object: ApiObject): Buffer {
  const { managedFields, ...given } = object.metadata ?? {};
  const canonical: DeepReadonly<ApiObject> = normalised(resource, { ...object, metadata: given });
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = canonical;
  const { resourceVersion: _resourceVersion, ...meta } = metadata ?? {};
  // Large, canonical as they were recorded, and last among metadata: only written again.
  const owners = managedFields && managedFields.length > 0 ? { managedFields } : {};
  return Buffer.from(JSON.stringify({ ...resource.typeMeta, metadata: { ...meta, ...owners }, ...rest }));
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
