import type { ApiObject, Kind, Scheme, StrategyContext } from '../../api/kinds/index.ts';
import { DecodeError, applyDefaults, cloneJson, decode } from '../../api/schema/index.ts';
import { badRequest, notFound } from '../../api/status/index.ts';
import type { Commit } from '../invariants/invariant.ts';
import { type Any, type ApiAnswer, type ApiRequest, decidedOn } from './api-request.ts';
import { inOrder } from './queue.ts';
import { successor } from './versions.ts';

/**
 * The API server's store as immutable plain JSON, so that many worlds share it.
 *
 * Uids and versions are readable names: `secrets.a~1` is the first Secret `a` that existed, and
 * `secrets.a~1@02` its state after two writes (`versions.ts`).
 */
export interface ModelStore {
  /** Live objects by `resource namespace/name`. */
  readonly objects: { readonly [key: string]: Any };
  /** Number of objects created so far under each key. */
  readonly births: { readonly [key: string]: number };
}

export const emptyStore: ModelStore = { objects: {}, births: {} };

/** Configuration of the model server apart from its kinds. */
export interface ModelServerOptions {
  readonly scheme: Scheme;
  /** Answers reviews, by resource. */
  readonly review?: (resource: string, body: unknown, nowMs: number) => unknown;
  /** Answers of raw GETs by path; any other path is 404. */
  readonly documents?: { readonly [path: string]: unknown };
}

export type StoreCommit = Omit<Commit, 'step' | 'atMs' | 'actor' | 'node'>;

export interface Outcome {
  readonly store: ModelStore;
  readonly answer: ApiAnswer;
  readonly commits: readonly StoreCommit[];
}

/** Context of handling one request. */
export interface Handling {
  readonly options: ModelServerOptions;
  readonly kind: Kind<ApiObject>;
  readonly resourceName: { readonly group: string; readonly resource: string };
  readonly store: ModelStore;
  readonly request: ApiRequest;
  readonly nowMs: number;
}

export const storeKey = (resource: string, namespace: string, name: string): string =>
  `${resource} ${namespace}/${name}`;

export const keyOfRequest = ({ request: { resource, namespace, name } }: Handling): string =>
  storeKey(resource, namespace, name);

export const contextOf = ({ options, nowMs }: Handling): StrategyContext => ({
  vocabulary: options.scheme.vocabulary,
  nowMs,
  user: { username: 'explorer', groups: [] },
  enabled: () => true,
});

export const typeMetaOf = ({ options, kind }: Handling): ReturnType<Scheme['typeMetaOf']> =>
  options.scheme.typeMetaOf(kind);

/** Decodes an object like the server: unknown fields are dropped, values canonical, no defaults. */
export function decoded({ kind }: Handling, body: unknown): ApiObject {
  try {
    return decode<ApiObject>(kind.schema, cloneJson(body)).value;
  } catch (thrown) {
    if (thrown instanceof DecodeError) throw badRequest(thrown.message);
    throw thrown;
  }
}

/** True for values with equal JSON, apart from the order of fields. */
export const same = (a: unknown, b: unknown): boolean =>
  JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, each]) => each !== undefined)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, each]) => [key, sorted(each)]),
        )
      : value;

export const unchanged = ({ store }: Handling, ok: unknown): Outcome => ({
  store,
  answer: { ok },
  commits: [],
});

/** Returns the object of the request; throws a 404 if there is none. */
export function present(handling: Handling): Any {
  const found = handling.store.objects[keyOfRequest(handling)];
  if (!found) throw notFound(handling.resourceName, handling.request.name);
  return found;
}

/** Replaces the object of the request by `next`, or deletes it; `last` is the answer for a deleted object. */
export function committed(
  handling: Handling,
  next: Any | undefined,
  verb: StoreCommit['verb'],
  last?: Any,
): Outcome {
  const { store, request } = handling;
  const { resource, namespace, name, subresource } = request;
  const key = keyOfRequest(handling);
  const { [key]: replaced, ...others } = store.objects;
  // Only the request's own change is part of the commit, not the defaults that a first write adds.
  const before = replaced && canonical(handling, replaced);
  const change: StoreCommit = {
    verb,
    resource,
    subresource: subresource === '' ? undefined : subresource,
    namespace,
    name,
    uid: (next ?? before)?.metadata?.uid ?? '',
    decidedOn: decidedOn(request),
    before,
    after: next,
  };
  return {
    store: { ...store, objects: inOrder(next ? { ...others, [key]: next } : others) },
    answer: { ok: next ?? last ?? null },
    commits: [change],
  };
}

/** Returns `object` as the version that follows `before`. */
export const succeeding = (object: ApiObject, { metadata }: Any): Any =>
  ({
    ...object,
    metadata: {
      ...object.metadata,
      resourceVersion: successor(metadata?.uid ?? '', metadata?.resourceVersion),
    },
  }) as Any;

/**
 * Returns the canonical stored form: typed, with fields in a fixed order, so that equal objects have equal
 * JSON.
 */
export function stored(
  { kind = '', apiVersion = '' }: Pick<Any, 'kind' | 'apiVersion'>,
  object: ApiObject,
): ApiObject {
  const { kind: _, apiVersion: __, metadata, ...fields } = object;
  return { kind, apiVersion, ...(metadata ? { metadata: dated(metadata) } : {}), ...inOrder(fields) };
}

type Meta = NonNullable<ApiObject['metadata']>;

/** Drops a null time, which decoding adds to objects of a workload that have no creation time. */
function dated(metadata: Meta): Meta {
  if (metadata.creationTimestamp) return metadata;
  const { creationTimestamp: _, ...rest } = metadata;
  return rest;
}

/** Sets missing fields in place, like the server. */
export function setDefaults(handling: Handling, object: ApiObject): void {
  const { kind } = handling;
  applyDefaults(kind.schema, object);
  kind.strategy.defaults?.(object, contextOf(handling));
}

const canonicals = new WeakMap<Any, Any>();

/**
 * Returns an object as the server would have stored it. Objects that a workload starts with may lack defaults
 * and other fields that the server sets.
 */
export function canonical(handling: Handling, object: Any): Any {
  const known = canonicals.get(object);
  if (known) return known;
  const whole = decoded(handling, object);
  setDefaults(handling, whole);
  const made = stored(object, decoded(handling, whole)) as Any;
  canonicals.set(object, made);
  canonicals.set(made, made);
  return made;
}
