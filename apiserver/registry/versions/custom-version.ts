import type { ApiObject, DeepReadonly, StoredAs, UserInfo } from '../../../api/kinds/index.ts';
import { stampResourceVersion } from '../../storage/stamp.ts';
import { applyAllDefaults, normalised } from '../write/decoding.ts';
import { type Resource, parseObject, strategyContext } from '../resource.ts';
import { toStoredBytes } from '../write/serialisation.ts';
import { type Translation, translated } from './version-view.ts';

/**
 * Returns a resource whose schema and stored version may have changed since its objects were stored. Each
 * object read from the store gets the defaults of the version at which it was written, and is pruned,
 * converted and pruned again.
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
  // Values that need no translation. They are remembered because an object may have megabytes and is read
  // repeatedly.
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

/** True if stored bytes begin with the resource's kind and version. */
export function isWrittenAs({ typeMeta }: Pick<Resource, 'typeMeta'>, value: Buffer): boolean {
  const { kind, apiVersion } = typeMeta;
  const head = Buffer.from(JSON.stringify({ kind, apiVersion }).slice(0, -1));
  return value.subarray(0, head.length).equals(head);
}

type Form = Pick<Resource, 'kind' | 'typeMeta'>;

/**
 * Returns a stored object at the version at which it was written, with the current defaults and pruned by the
 * current schema (release 1.24, `crdConversionRESTOptionsGetter`). A version that is no longer served is
 * treated as `storedAs`.
 */
export function asWritten(resource: Resource, storedAs: Form, value: Buffer): ApiObject {
  const { scheme } = resource;
  const object = parseObject(value) as ApiObject;
  const { kind = '', apiVersion = '' } = object;
  const other = isWrittenAs(storedAs, value) ? undefined : scheme.byApiVersion(apiVersion, kind);
  const form = other
    ? { kind: other as unknown as Resource['kind'], typeMeta: scheme.typeMetaOf(other) }
    : storedAs;
  applyAllDefaults(form.kind, object, strategyContext(resource, NO_USER));
  return form.kind === resource.kind ? object : normalised(form, object);
}

/** Placeholder user, as defaults do not depend on the user. */
const NO_USER: UserInfo = { username: '', groups: [] };

/**
 * Encodes an object of this kind that was read from the store: with defaults, pruned, in canonical order.
 * `object` must not be used afterwards.
 */
export function canonicalBytes(resource: Resource, object: ApiObject, revision: number): Buffer {
  applyAllDefaults(resource.kind, object, strategyContext(resource, NO_USER));
  return stampResourceVersion(toStoredBytes(resource, object), revision);
}
