import type { ApiObject, DeepReadonly, StoredAs, UserInfo } from '../../../api/kinds/kind.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import { applyAllDefaults, normalised } from '../write/decoding.ts';
import { type Resource, parseObject, strategyContext } from '../resource.ts';
import { toStoredBytes } from '../write/serialisation.ts';
import { type Translation, translated } from './version-view.ts';

/**
 * A resource whose schema may have changed since its objects were stored, and with it the version they are stored at:
 * what is read has the defaults of the version it was written at, and is pruned, converted and pruned again.
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
  // Of the bytes that are read again and again, as the store keeps them: objects may have megabytes.
  const unchanged = new WeakSet<Buffer>();
  return {
    fromStored(value, revision) {
      if (unchanged.has(value)) return value;
      const object = asWritten(version, target, value);
      const converted = storedAs ? storedAs.fromStorage(object as DeepReadonly<never>, context) : object;
      const seen = stampResourceVersion(toStoredBytes(version, converted), revision);
      if (!seen.equals(value)) return seen;
      unchanged.add(value);
      return value;
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

type Form = Pick<Resource, 'kind' | 'typeMeta'>;

/**
 * A stored object as the version it was written at has it now, pruned and with its defaults, whatever it is read as (release
 * 1.24, `crdConversionRESTOptionsGetter`). What was written at a version that is gone is taken for one `storedAs`.
 */
export function asWritten(resource: Resource, storedAs: Form, value: Buffer): ApiObject {
  const { scheme } = resource;
  const object = parseObject(value) as ApiObject;
  const { kind = '', apiVersion = '' } = object;
  const other = isWrittenAs(storedAs, value) ? undefined : scheme.byApiVersion(apiVersion, kind);
  const form = other
    ? { kind: other as unknown as Resource['kind'], typeMeta: scheme.typeMetaOf(other) }
    : storedAs;
  applyAllDefaults(form.kind, object, strategyContext(resource, NOBODY));
  return form.kind === resource.kind ? object : normalised(form, object);
}

/** Defaults do not depend on who reads. */
const NOBODY: UserInfo = { username: '', groups: [] };

/** An object that was read from the store as one of this kind: with its defaults, pruned, in order. Taken over. */
export function canonicalBytes(resource: Resource, object: ApiObject, revision: number): Buffer {
  applyAllDefaults(resource.kind, object, strategyContext(resource, NOBODY));
  return stampResourceVersion(toStoredBytes(resource, object), revision);
}
