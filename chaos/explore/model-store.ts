import {
  type AnyKind,
  type ApiObject,
  type Kind,
  type ObjectSubresource,
  type Scheme,
  type StrategyContext,
  isVirtualSubresource,
} from '../../api/kinds/index.ts';
import { applyMergePatch, applyStrategicMergePatch } from '../../api/patch/index.ts';
import { type JsonObject, cloneJson } from '../../api/schema/index.ts';
import { parseFieldSelector, parseLabelSelector } from '../../api/selectors/index.ts';
import {
  ApiError,
  MODIFIED,
  alreadyExists,
  conflict,
  forbidden,
  notFound,
  unknownPath,
} from '../../api/status/index.ts';
import { mark, markNamespace } from '../../apiserver/registry/delete/index.ts';
import { toTime } from '../../base/clock/index.ts';
import { type Commit, resourceOf } from '../invariants/invariant.ts';
import {
  type Any,
  type ApiAnswer,
  type ApiRequest,
  type Unchanged,
  decidedOn,
  isReview,
} from './api-request.ts';
import { inOrder } from './queue.ts';
import { firstVersion, successor } from './versions.ts';

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

export type StoreCommit = Omit<Commit, 'step' | 'atMs' | 'actor' | 'node'>;

export interface Outcome {
  readonly store: ModelStore;
  readonly answer: ApiAnswer;
  readonly commits: readonly StoreCommit[];
}

/** Configuration of the model server apart from its kinds. */
export interface ModelServerOptions {
  readonly scheme: Scheme;
  /** Answers reviews, by resource. */
  readonly review?: (resource: string, body: unknown, nowMs: number) => unknown;
  /** Answers of raw GETs by path; any other path is 404. */
  readonly documents?: { readonly [path: string]: unknown };
}

/** Executes requests on a store. Pure: the given store is not modified. */
export interface ModelServer {
  handle(store: ModelStore, request: ApiRequest, nowMs: number): Outcome;
  /** False if the request refers to an object or version that can never exist again. */
  mayCommit(store: ModelStore, request: ApiRequest): boolean;
  selects(kind: Kind<ApiObject>, object: Any, scope: Scope): boolean;
}

export interface Scope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export const storeKey = (resource: string, namespace: string, name: string): string =>
  `${resource} ${namespace}/${name}`;

/** Returns the uid of the nth object that was created under a name. */
export const uidOf = (resource: string, name: string, nth: number): string =>
  `${resource.slice(resource.indexOf('/') + 1)}.${name}~${nth}`;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
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

/** Context of handling one request. */
interface Handling {
  readonly options: ModelServerOptions;
  readonly kind: Kind<ApiObject>;
  readonly resourceName: { readonly group: string; readonly resource: string };
  readonly store: ModelStore;
  readonly request: ApiRequest;
  readonly nowMs: number;
}

const unchanged = ({ store }: Handling, ok: unknown): Outcome => ({ store, answer: { ok }, commits: [] });

function present({ store, request, resourceName }: Handling): Any {
  const found = store.objects[storeKey(request.resource, request.namespace, request.name)];
  if (!found) throw notFound(resourceName, request.name);
  return found;
}

/** Replaces the object of the request by `next`, or deletes it; `last` is the answer for a deleted object. */
function committed(
  { store, request }: Handling,
  next: Any | undefined,
  verb: StoreCommit['verb'],
  last?: Any,
): Outcome {
  const { resource, namespace, name, subresource } = request;
  const key = storeKey(resource, namespace, name);
  const { [key]: before, ...others } = store.objects;
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
    store: { ...store, objects: sortedKeys(next ? { ...others, [key]: next } : others) },
    answer: { ok: next ?? last ?? null },
    commits: [change],
  };
}

/** Returns `object` as the version that follows `before`. */
const succeeding = (object: ApiObject, { metadata }: Any): Any =>
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
function stored(
  { kind = '', apiVersion = '' }: Pick<Any, 'kind' | 'apiVersion'>,
  object: ApiObject,
): ApiObject {
  const { kind: _, apiVersion: __, metadata, ...fields } = object;
  return { kind, apiVersion, ...(metadata ? { metadata } : {}), ...inOrder(fields) };
}

/**
 * Returns the first free generated name. Numbering keeps objects distinct that nothing else distinguishes.
 */
function generatedName({ store, request: { resource, namespace, body } }: Handling): string {
  const { generateName = '' } = (body as ApiObject).metadata ?? {};
  let nth = 0;
  while (store.births[storeKey(resource, namespace, `${generateName}${nth}`)] !== undefined) nth += 1;
  return `${generateName}${nth}`;
}

function create(handling: Handling): Outcome {
  const { options, kind, resourceName, store, request, nowMs } = handling;
  const { resource, namespace } = request;
  const name = request.name || generatedName(handling);
  admitToNamespace(handling);
  const key = storeKey(resource, namespace, name);
  if (store.objects[key]) throw alreadyExists(resourceName, name);
  const births = (store.births[key] ?? 0) + 1;
  const uid = uidOf(resource, name, births);
  const next = cloneJson(request.body) as ApiObject;
  next.metadata = { ...next.metadata, name, uid };
  kind.strategy.prepareForCreate?.(next, contextOf(handling));
  const { resourceVersion: _, ...given } = next.metadata;
  const created = stored(options.scheme.typeMetaOf(kind), {
    ...next,
    metadata: {
      ...given,
      ...(namespace === '' ? {} : { namespace }),
      resourceVersion: firstVersion(uid),
      creationTimestamp: toTime(nowMs),
    },
  });
  const done = committed({ ...handling, request: { ...request, name } }, created as Any, 'create');
  return { ...done, store: { ...done.store, births: { ...store.births, [key]: births } } };
}

const patched = ({ kind, request }: Handling, before: Any): unknown =>
  request.patchType === 'strategic'
    ? applyStrategicMergePatch(cloneJson(before) as JsonObject, request.body, kind.schema)
    : applyMergePatch(cloneJson(before), request.body);

function write(handling: Handling, verb: 'update' | 'patch'): Outcome {
  const { kind, resourceName, request } = handling;
  const { name, body, subresource } = request;
  const { uid: meant } = (body as ApiObject).metadata ?? {};
  // A body with a uid means one particular object: a deleted or replaced object is a conflict, not a 404.
  const isGone = handling.store.objects[storeKey(request.resource, request.namespace, name)] === undefined;
  if (verb === 'update' && meant !== undefined && isGone)
    throw conflict(resourceName, name, `Precondition failed: UID in precondition: ${meant}`);
  const before = present(handling);
  const wanted = (verb === 'patch' ? patched(handling, before) : cloneJson(body)) as ApiObject;
  const { uid, resourceVersion } = wanted.metadata ?? {};
  if (uid !== undefined && uid !== before.metadata?.uid)
    throw conflict(resourceName, name, `Precondition failed: UID in precondition: ${uid}`);
  if (resourceVersion !== undefined && resourceVersion !== before.metadata?.resourceVersion)
    throw conflict(resourceName, name, MODIFIED);
  const next = stored(before, updated(kind, subresource, wanted, before, contextOf(handling)));
  if (isFinished(kind, next, before)) return committed(handling, undefined, verb, next as Any);
  if (same(next, before)) return unchanged(handling, before);
  return committed(handling, succeeding(next, before), verb);
}

function remove(handling: Handling): Outcome {
  const { kind, resourceName, request, nowMs } = handling;
  const { name, preconditions = {}, propagationPolicy } = request;
  const before = present(handling);
  if (preconditions.uid !== undefined && preconditions.uid !== before.metadata?.uid)
    throw conflict(resourceName, name, 'the UID in the precondition does not match');
  const { resourceVersion } = preconditions;
  if (resourceVersion !== undefined && resourceVersion !== before.metadata?.resourceVersion)
    throw conflict(resourceName, name, 'the ResourceVersion in the precondition does not match');
  const { policy } = kind;
  const wish = { gracePeriodSeconds: undefined, propagationPolicy };
  const marked =
    policy.deletion === 'namespace'
      ? markNamespace(policy, before, wish, nowMs)
      : mark(policy, before, wish, nowMs);
  if (marked.outcome === 'remove') return committed(handling, undefined, 'delete', before);
  if (marked.outcome === 'pending' || same(marked.object, before)) return unchanged(handling, before);
  return committed(handling, succeeding(cloneJson(marked.object), before), 'delete');
}

const holds = ({ objects }: ModelStore, { resource, namespace, name, ...wanted }: Unchanged): boolean => {
  const { uid, resourceVersion } = objects[storeKey(resource, namespace, name)]?.metadata ?? {};
  return (
    (wanted.uid === undefined || wanted.uid === uid) &&
    (wanted.resourceVersion === undefined || wanted.resourceVersion === resourceVersion)
  );
};

/**
 * Rejects a write whose conditions on other objects do not hold. Like the server, this runs first and answers
 * with a conflict.
 */
function checkConditions({ store, request, resourceName }: Handling): void {
  const broken = (request.while ?? []).find((each) => !holds(store, each));
  if (!broken) return;
  const message = `${broken.name} is not as it was`;
  const { status } = conflict(resourceName, request.name, message);
  throw new ApiError({
    ...status,
    details: { ...status.details, causes: [{ reason: 'WriteConditionFailed', message }] },
  });
}

/** Applies the NamespaceLifecycle admission rules to namespaces that the model has ever held. */
function admitToNamespace({ kind, store, request, resourceName }: Handling): void {
  const key = storeKey('/namespaces', '', request.namespace);
  if (!kind.namespaced || store.births[key] === undefined) return;
  const found = store.objects[key];
  if (!found) throw notFound({ group: '', resource: 'namespaces' }, request.namespace);
  const { phase } = (found as { readonly status?: { readonly phase?: string } }).status ?? {};
  if (phase !== 'Terminating') return;
  const message = `unable to create new content in namespace ${request.namespace} because it is being terminated`;
  const { status } = forbidden(resourceName, request.name, message);
  throw new ApiError({
    ...status,
    details: { ...status.details, causes: [{ reason: 'NamespaceTerminating', message }] },
  });
}

const contextOf = ({ options, nowMs }: Handling): StrategyContext => ({
  vocabulary: options.scheme.vocabulary,
  nowMs,
  user: { username: 'explorer', groups: [] },
  enabled: () => true,
});

export function createModelServer(options: ModelServerOptions): ModelServer {
  const { scheme, review, documents = {} } = options;
  const kinds = new Map(
    scheme.kinds.map((kind: AnyKind) => [resourceOf(kind), kind as unknown as Kind<ApiObject>]),
  );
  const selects = createSelection();

  /** Serves one request; throws the refusal. */
  const serve = (store: ModelStore, request: ApiRequest, nowMs: number): Outcome => {
    const { verb, resource, path = '' } = request;
    if (verb === 'raw') {
      if (documents[path] === undefined) throw unknownPath();
      return { store, answer: { ok: documents[path] }, commits: [] };
    }
    if (isReview(resource))
      return { store, answer: { ok: review?.(resource, request.body, nowMs) }, commits: [] };
    const kind = kinds.get(resource);
    if (!kind) throw new Error(`the model has no resource ${resource}`);
    const resourceName = { group: scheme.vocabulary.group(kind.group), resource: kind.plural };
    const handling: Handling = { options, kind, resourceName, store, request, nowMs };
    checkConditions(handling);
    const listed = (): Any[] =>
      Object.entries(store.objects)
        .filter(
          ([each, object]) => each.startsWith(`${resource} `) && selects(kind, object, scopeOf(request)),
        )
        .map(([, object]) => object);
    switch (verb) {
      case 'get': {
        const object = present(handling);
        const serverMs = Math.floor(nowMs / 1000) * 1000;
        return unchanged(handling, request.dated ? { object, serverMs } : object);
      }
      case 'list':
        return unchanged(handling, { resourceVersion: '', items: listed() });
      case 'create':
        return create(handling);
      case 'update':
      case 'patch':
        return write(handling, verb);
      case 'delete':
        return remove(handling);
      case 'deletecollection':
        return listed().reduce<Outcome>(
          (all, { metadata }) => {
            const { name = '', namespace = '' } = metadata ?? {};
            const one = serve(all.store, { ...request, verb: 'delete', name, namespace }, nowMs);
            return { ...one, answer: all.answer, commits: [...all.commits, ...one.commits] };
          },
          { store, answer: { ok: null }, commits: [] },
        );
    }
  };

  return {
    selects,
    mayCommit,
    handle(store, request, nowMs) {
      try {
        return serve(store, request, nowMs);
      } catch (thrown) {
        if (!(thrown instanceof ApiError)) throw thrown;
        return { store, answer: { refused: thrown.status }, commits: [] };
      }
    },
  };
}

/**
 * True if the request can still commit. Uids are never reused and versions only grow, so a mismatch is final.
 */
function mayCommit(store: ModelStore, request: ApiRequest): boolean {
  const { verb, resource, namespace, name } = request;
  if (!(request.while ?? []).every((each) => holds(store, each))) return false;
  if (verb === 'create' || verb === 'deletecollection') return true;
  return holds(store, { resource, namespace, name, ...decidedOn(request) });
}

/** Creates the scope test; each selector is parsed once. */
function createSelection(): ModelServer['selects'] {
  const selectors = new Map<string, ReturnType<typeof selectorOf>>();
  return (kind, object, { namespace, labelSelector = '', fieldSelector = '' }) => {
    if (namespace !== undefined && object.metadata?.namespace !== namespace) return false;
    const text = `${labelSelector};${fieldSelector}`;
    let matches = selectors.get(text);
    if (!matches) selectors.set(text, (matches = selectorOf(labelSelector, fieldSelector)));
    return matches(kind, object);
  };
}

const scopeOf = ({ namespace, labelSelector, fieldSelector }: ApiRequest): Scope => ({
  ...(namespace === '' ? {} : { namespace }),
  ...(labelSelector === undefined ? {} : { labelSelector }),
  ...(fieldSelector === undefined ? {} : { fieldSelector }),
});

function selectorOf(labelText: string, fieldText: string) {
  const labels = labelText === '' ? undefined : parseLabelSelector(labelText);
  const fields = fieldText === '' ? undefined : parseFieldSelector(fieldText);
  return (kind: Kind<ApiObject>, object: Any): boolean => {
    if (labels && !labels.matches(object.metadata?.labels ?? {})) return false;
    return (fields?.requirements ?? []).every(({ path, op, value }) => {
      const found =
        path === 'metadata.name'
          ? (object.metadata?.name ?? '')
          : path === 'metadata.namespace'
            ? (object.metadata?.namespace ?? '')
            : (kind.selectableFields[path]?.(object) ?? '');
      return (found === value) === (op === '=');
    });
  };
}

const sortedKeys = (objects: { readonly [key: string]: Any }): { readonly [key: string]: Any } =>
  Object.fromEntries(Object.entries(objects).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Returns the object that an update stores, with server-owned metadata restored. */
function updated(
  kind: Kind<ApiObject>,
  subresource: string,
  wanted: ApiObject,
  before: Any,
  context: StrategyContext,
): ApiObject {
  const found = subresource === '' ? undefined : kind.subresources[subresource];
  const through: Pick<ObjectSubresource, 'prepareForUpdate'> | undefined =
    found && isVirtualSubresource(found) ? found.writes : found;
  if (subresource !== '' && !through) throw new Error(`${kind.plural} has no subresource ${subresource}`);
  (through ?? kind.strategy).prepareForUpdate?.(wanted, before, context);
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, resourceVersion } =
    before.metadata ?? {};
  wanted.metadata = {
    ...wanted.metadata,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
  };
  return wanted;
}

/** True if the object is being deleted and no finalizer is left. */
function isFinished(kind: Kind<ApiObject>, next: ApiObject, before: Any): boolean {
  if (before.metadata?.deletionTimestamp === undefined) return false;
  if ((next.metadata?.finalizers ?? []).length > 0) return false;
  if (kind.policy.deletion !== 'namespace') return true;
  return ((next as { spec?: { finalizers?: readonly string[] } }).spec?.finalizers ?? []).length === 0;
}
