import type { ApiObject } from '../../api/kinds/index.ts';
import { ApiError, conflict, forbidden } from '../../api/status/index.ts';
import { mark, markNamespace } from '../../apiserver/registry/delete/index.ts';
import type { Any } from './api-request.ts';
import {
  type Handling,
  type Outcome,
  canonical,
  committed,
  decoded,
  present,
  same,
  stored,
  succeeding,
  unchanged,
} from './model-handling.ts';
import { UnsupportedRequestError } from './unsupported-request.ts';

/** Marks an object for deletion or removes it. Throws a 403, 404 or 409. */
export function remove(handling: Handling, isOfCollection = false): Outcome {
  const { kind, resourceName, request } = handling;
  const { policy } = kind;
  const { undeletable } = policy;
  if (!isOfCollection && undeletable?.names.includes(request.name))
    throw forbidden(resourceName, request.name, undeletable.because);
  const found = present(handling);
  const before = canonical(handling, found);
  checkImmortal(handling);
  checkPreconditions(handling, before);
  const marked = markedFor(handling, before);
  if (marked.outcome === 'remove') return removed(handling, before, marked.object);
  if (marked.outcome === 'pending') return unchanged(handling, found);
  const next = stored(before, decoded(handling, marked.object));
  if (same(next, before)) return unchanged(handling, found);
  return committed(handling, succeeding(next, before), 'delete');
}

/** Removes an object; `last` is its last state, which watchers receive before the deletion. */
function removed(handling: Handling, before: Any, last: ApiObject | undefined): Outcome {
  if (!last) return committed(handling, undefined, 'delete', before);
  const first = committed(handling, succeeding(stored(before, decoded(handling, last)), before), 'delete');
  const second = committed({ ...handling, store: first.store }, undefined, 'delete', before);
  return { ...second, commits: [...first.commits, ...second.commits] };
}

function markedFor({ kind: { policy, plural }, request, nowMs }: Handling, before: Any) {
  const { gracePeriodSeconds, propagationPolicy } = request;
  const wish = { gracePeriodSeconds, propagationPolicy };
  if (policy.deletion === 'definition')
    throw new UnsupportedRequestError(`the model cannot delete ${plural} like the server`);
  return policy.deletion === 'namespace'
    ? markNamespace(policy, before, wish, nowMs)
    : mark(policy, before, wish, nowMs);
}

/** Rejects the deletion of namespaces that always exist. */
function checkImmortal({ options, kind, request: { name }, resourceName }: Handling): void {
  const { system, public: shared } = options.scheme.vocabulary.namespaces;
  if (kind.policy.deletion !== 'namespace' || !['default', system, shared].includes(name)) return;
  throw forbidden(resourceName, name, 'this namespace may not be deleted');
}

function checkPreconditions(
  { resourceName, request: { name, preconditions = {} } }: Handling,
  { metadata }: Any,
) {
  const { uid, resourceVersion } = preconditions;
  if (uid !== undefined && uid !== metadata?.uid)
    throw conflict(resourceName, name, 'the UID in the precondition does not match');
  if (resourceVersion !== undefined && resourceVersion !== metadata?.resourceVersion)
    throw conflict(resourceName, name, 'the ResourceVersion in the precondition does not match');
}

/**
 * Deletes the given objects of a collection. An object whose deletion is rejected stays; the others are
 * deleted, and the answer is the first rejection.
 */
export function removeAll(handling: Handling, objects: readonly Any[]): Outcome {
  let result: Outcome = { store: handling.store, answer: { ok: null }, commits: [] };
  for (const { metadata } of objects) {
    const { name = '', namespace = '' } = metadata ?? {};
    const request = { ...handling.request, name, namespace };
    try {
      const one = remove({ ...handling, store: result.store, request }, true);
      result = { ...one, answer: result.answer, commits: [...result.commits, ...one.commits] };
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      if (!('refused' in result.answer)) result = { ...result, answer: { refused: thrown.status } };
    }
  }
  return result;
}
