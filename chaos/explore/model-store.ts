import { type ApiObject, type Kind, isVirtualSubresource } from '../../api/kinds/index.ts';
import { ApiError, methodNotAllowed, unknownPath } from '../../api/status/index.ts';
import { resourceOf } from '../invariants/invariant.ts';
import { type Any, type ApiRequest, decidedOn, isReview } from './api-request.ts';
import { checkConditions, isStillSame } from './model-conditions.ts';
import { remove, removeAll } from './model-deletions.ts';
import {
  type Handling,
  type ModelServerOptions,
  type ModelStore,
  type Outcome,
  present,
  unchanged,
} from './model-handling.ts';
import { type Scope, createSelection } from './model-selection.ts';
import { create, write } from './model-writes.ts';
import { servedKind } from './served-kind.ts';
import { UnsupportedRequestError } from './unsupported-request.ts';

export {
  type ModelServerOptions,
  type ModelStore,
  type Outcome,
  type StoreCommit,
  emptyStore,
  storeKey,
} from './model-handling.ts';
export type { Scope } from './model-selection.ts';
export { uidOf } from './model-writes.ts';

/**
 * Executes requests on a store. Pure: the given store is not modified. Throws `UnsupportedRequestError` for a
 * request that the model cannot answer as the server does.
 */
export interface ModelServer {
  handle(store: ModelStore, request: ApiRequest, nowMs: number): Outcome;
  /** False if the request refers to an object or version that can never exist again. */
  mayCommit(store: ModelStore, request: ApiRequest): boolean;
  selects(kind: Kind<ApiObject>, object: Any, scope: Scope): boolean;
}

export function createModelServer(options: ModelServerOptions): ModelServer {
  const { scheme, review, documents = {} } = options;
  const kinds = new Map(scheme.kinds.map((kind) => [resourceOf(kind), servedKind(kind, scheme.vocabulary)]));
  const selects = createSelection();

  /** Serves a request on a kind; throws the refusal. */
  const serveKind = (handling: Handling): Outcome => {
    const { store, request, kind } = handling;
    checkConditions(handling);
    const listed = (): Any[] =>
      Object.entries(store.objects)
        .filter(
          ([each, object]) =>
            each.startsWith(`${request.resource} `) && selects(kind, object, scopeOf(request)),
        )
        .map(([, object]) => object);
    switch (request.verb) {
      case 'get':
        return get(handling);
      case 'list':
        if (request.exact) throw new UnsupportedRequestError('the model keeps no past versions to list');
        checkSelectors(handling, selects);
        return unchanged(handling, {
          resourceVersion: '',
          items: request.metadataOnly ? listed().map(metadataOnly) : listed(),
        });
      case 'create':
        return create(handling);
      case 'update':
      case 'patch':
        return write(handling, request.verb);
      case 'delete':
        return remove(handling);
      case 'deletecollection':
        checkSelectors(handling, selects);
        return removeAll(handling, listed());
      case 'raw':
        throw new UnsupportedRequestError('a raw request has no kind');
    }
  };
  /** Serves one request; throws the refusal. */
  const serve = (store: ModelStore, request: ApiRequest, nowMs: number): Outcome => {
    const { verb, resource, path = '' } = request;
    if (verb === 'raw') {
      if (!path.startsWith('/')) throw new UnsupportedRequestError(`the model cannot answer ${path}`);
      if (documents[path] === undefined) throw unknownPath();
      return { store, answer: { ok: documents[path] }, commits: [] };
    }
    if (isReview(resource))
      return { store, answer: { ok: review?.(resource, request.body, nowMs) }, commits: [] };
    const kind = kinds.get(resource);
    if (!kind) throw new UnsupportedRequestError(`the model has no resource ${resource}`);
    const resourceName = { group: scheme.vocabulary.group(kind.group), resource: kind.plural };
    const done = serveKind({ options, kind, resourceName, store, request, nowMs });
    return request.dryRun ? tried(done, store) : done;
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

/** Returns the outcome of a dry run: the answer has the version that the object still has. */
function tried({ answer, commits }: Outcome, store: ModelStore): Outcome {
  const [{ before, after } = {}] = commits;
  if (!after) return { store, answer, commits: [] };
  const { resourceVersion: _, ...metadata } = after.metadata ?? {};
  const version = before?.metadata?.resourceVersion;
  const kept = version === undefined ? metadata : { ...metadata, resourceVersion: version };
  return { store, answer: { ok: { ...after, metadata: kept } }, commits: [] };
}

function get(handling: Handling): Outcome {
  const { kind, request, nowMs } = handling;
  const { subresource, dated } = request;
  const part = Object.hasOwn(kind.subresources, subresource) ? kind.subresources[subresource] : undefined;
  if (part && isVirtualSubresource(part))
    throw new UnsupportedRequestError(`the model has no subresource ${subresource} of ${kind.plural}`);
  if (subresource !== '' && !part?.verbs.includes('get')) throw methodNotAllowed();
  const object = present(handling);
  return unchanged(handling, dated ? { object, serverMs: Math.floor(nowMs / 1000) * 1000 } : object);
}

/** Throws a 400 for selectors that the server rejects, even if there are no objects to test. */
function checkSelectors({ kind, request }: Handling, selects: ModelServer['selects']): void {
  const { labelSelector, fieldSelector } = scopeOf(request);
  selects(
    kind,
    {},
    { ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) },
  );
}

const metadataOnly = ({ kind, apiVersion, metadata }: Any): Any => ({ kind, apiVersion, metadata }) as Any;

/**
 * True if the request can still commit. Uids are never reused and versions only grow, so a mismatch is final.
 */
function mayCommit(store: ModelStore, request: ApiRequest): boolean {
  const { verb, resource, namespace, name } = request;
  if (!(request.while ?? []).every((each) => isStillSame(store, each))) return false;
  if (verb === 'create' || verb === 'deletecollection') return true;
  return isStillSame(store, { resource, namespace, name, ...decidedOn(request) });
}

const scopeOf = ({ namespace, labelSelector, fieldSelector }: ApiRequest): Scope => ({
  ...(namespace === '' ? {} : { namespace }),
  ...(labelSelector === undefined ? {} : { labelSelector }),
  ...(fieldSelector === undefined ? {} : { fieldSelector }),
});
