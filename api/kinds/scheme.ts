import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type { ApiObject, DeepReadonly, Kind } from './kind.ts';

/** Kind whose objects have any static type. */
export type AnyKind = Kind<never>;

/** Immutable set of the kinds that a program knows, under one vocabulary. */
export interface Scheme {
  readonly vocabulary: Vocabulary;
  readonly kinds: readonly AnyKind[];
  /** Finds a kind by its served group (with the vocabulary's suffix), version and plural. */
  byResource(group: string, version: string, plural: string): AnyKind | undefined;
  /** Finds a kind by the `apiVersion` and `kind` of an object. */
  byApiVersion(apiVersion: string, kind: string): AnyKind | undefined;
  /** Returns the `apiVersion` of objects of a kind. */
  apiVersionOf(kind: Pick<AnyKind, 'group' | 'version'>): string;
  /** Returns the `kind` and `apiVersion` of objects of a kind, to be spread into a new object. */
  typeMetaOf(kind: Pick<AnyKind, 'group' | 'version' | 'kind'>): { kind: string; apiVersion: string };
}

/**
 * Kind that is a candidate for a plural. Few kinds share a plural, so searching a short list costs less than
 * building a map key for each request.
 */
interface Served {
  readonly group: string;
  readonly version: string;
  readonly kind: AnyKind;
}

/**
 * Creates a scheme. If two kinds have the same resource, or the same `apiVersion` and `kind`, the last one
 * wins.
 */
export function createScheme(vocabulary: Vocabulary, kinds: readonly Kind<never>[]): Scheme {
  const resources = new Map<string, Served[]>();
  const apiVersions = new Map<string, AnyKind>();
  for (const kind of kinds) {
    const apiVersion = vocabulary.apiVersion(kind.group, kind.version);
    const served = { group: vocabulary.group(kind.group), version: kind.version, kind };
    const alike = resources.get(kind.plural);
    if (alike === undefined) resources.set(kind.plural, [served]);
    else alike.unshift(served);
    apiVersions.set(`${apiVersion}/${kind.kind}`, kind);
  }
  const apiVersionOf = (kind: Pick<AnyKind, 'group' | 'version'>): string =>
    vocabulary.apiVersion(kind.group, kind.version);
  return {
    vocabulary,
    kinds,
    byResource: (group, version, plural) =>
      resources.get(plural)?.find((served) => served.group === group && served.version === version)?.kind,
    byApiVersion: (apiVersion, kind) => apiVersions.get(`${apiVersion}/${kind}`),
    apiVersionOf,
    typeMetaOf: (kind) => ({ kind: kind.kind, apiVersion: apiVersionOf(kind) }),
  };
}

/**
 * Returns the namespace and name of an object as one string, the form of work-queue keys: `default/web`, or
 * `web`.
 */
export const keyOf = (object: Pick<DeepReadonly<ApiObject>, 'metadata'>): string => {
  const { namespace, name = '' } = object.metadata ?? {};
  return namespace ? `${namespace}/${name}` : name;
};

/** Splits a key that `keyOf` returned. The namespace of a cluster-scoped object is `''`. */
export function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0
    ? { namespace: '', name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
