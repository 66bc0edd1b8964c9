import type { ApiObject, DeepReadonly, StoredAs, UserInfo } from '../../api/kinds/kind.ts';
import { stampResourceVersion } from '../storage/stamp.ts';
import { applyAllDefaults } from './decoding.ts';
import { type Resource, parseObject, strategyContext } from './resource.ts';
import { toStoredBytes } from './serialisation.ts';
import { type Translation, translated } from './version-view.ts';

/**
 * A resource whose schema may have changed since its objects were stored, and with it the version they are stored at:
 * what is read is converted from the version it was written at, given its defaults and pruned as if it came in now.
 */
export const customVersionOf = (stored: Resource, storedAs: StoredAs | undefined): Resource =>
  translated(stored, translationOf(stored, storedAs));

function translationOf(version: Resource, storedAs: StoredAs | undefined): Translation {
  const { scheme } = version;
  const context = { vocabulary: scheme.vocabulary };
  const target = storedAs
    ? { kind: storedAs.kind as unknown as Resource['kind'], typeMeta: scheme.typeMetaOf(storedAs.kind) }
    : version;
  const parsed = (bytes: Buffer): DeepReadonly<never> => parseObject(bytes) as DeepReadonly<never>;
  return {
    fromStored(value, revision) {
      const object = parsed(value);
      const converted = storedAs ? storedAs.fromStorage(object, context) : object;
      return canonicalBytes(version, converted, revision);
    },
    toStored: (value) =>
      storedAs ? toStoredBytes(target, storedAs.toStorage(parsed(value), context)) : value,
    isOutdated: (value) => !isWrittenAs(target, value),
  };
}

/** Whether stored bytes are of the very kind and version: they begin with it. */
export function isWrittenAs({ typeMeta }: Pick<Resource, 'typeMeta'>, value: Buffer): boolean {
  const { kind, apiVersion } = typeMeta;
  const head = Buffer.from(JSON.stringify({ kind, apiVersion }).slice(0, -1));
  return value.subarray(0, head.length).equals(head);
}

/** Defaults do not depend on who reads. */
const NOBODY: UserInfo = { username: '', groups: [] };

/** An object that was read from the store as one of this kind: with its defaults, pruned, in order. Taken over. */
export function canonicalBytes(resource: Resource, object: ApiObject, revision: number): Buffer {
  applyAllDefaults(resource.kind, object, strategyContext(resource, NOBODY));
  return stampResourceVersion(toStoredBytes(resource, object), revision);
}
