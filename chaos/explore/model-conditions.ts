import { ApiError, conflict, forbidden, notFound } from '../../api/status/index.ts';
import type { Unchanged } from './api-request.ts';
import { type Handling, type ModelStore, storeKey } from './model-handling.ts';

/** Properties of another object that a condition may require, in the server's order. */
const FACTS = ['uid', 'resourceVersion', 'holder', 'transitions'] as const;

interface Lease {
  readonly spec?: { readonly holderIdentity?: string; readonly leaseTransitions?: number };
}

/** Returns the first property that differs from the condition; undefined if the condition holds. */
function brokenFact({ objects }: ModelStore, condition: Unchanged): (typeof FACTS)[number] | undefined {
  const found = objects[storeKey(condition.resource, condition.namespace, condition.name)];
  if (!found) return 'uid';
  const { spec } = found as Lease;
  const facts = {
    uid: found.metadata?.uid,
    resourceVersion: found.metadata?.resourceVersion,
    holder: spec?.holderIdentity ?? '',
    transitions: spec?.leaseTransitions ?? 0,
  };
  return FACTS.find((fact) => condition[fact] !== undefined && condition[fact] !== facts[fact]);
}

/** True if the object has the required uid and version. A mismatch of these is final. */
export const isStillSame = ({ objects }: ModelStore, wanted: Unchanged): boolean => {
  const { uid, resourceVersion } =
    objects[storeKey(wanted.resource, wanted.namespace, wanted.name)]?.metadata ?? {};
  return (
    (wanted.uid === undefined || wanted.uid === uid) &&
    (wanted.resourceVersion === undefined || wanted.resourceVersion === resourceVersion)
  );
};

/**
 * Rejects a write whose conditions on other objects do not hold. Like the server, this runs first and answers
 * with a conflict.
 */
export function checkConditions({ store, request, resourceName }: Handling): void {
  for (const each of request.while ?? []) {
    const field = brokenFact(store, each);
    if (field === undefined) continue;
    const message = `${each.name} is not as it was`;
    const { status } = conflict(resourceName, request.name, message);
    const cause = { reason: 'WriteConditionFailed', message, field };
    throw new ApiError({ ...status, details: { ...status.details, causes: [cause] } });
  }
}

/**
 * Applies the NamespaceLifecycle admission rules to namespaces that the model has ever held: no write in a
 * missing namespace, no creation in a terminating one.
 */
export function admitToNamespace({ kind, store, request, resourceName }: Handling, creates: boolean): void {
  const { namespace, name } = request;
  const key = storeKey('/namespaces', '', namespace);
  if (!kind.namespaced || store.births[key] === undefined) return;
  const found = store.objects[key];
  if (!found) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  const { phase } = (found as { readonly status?: { readonly phase?: string } }).status ?? {};
  if (!creates || phase !== 'Terminating') return;
  const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = forbidden(resourceName, name, message);
  const cause = { reason: 'NamespaceTerminating', message, field: 'metadata.namespace' };
  throw new ApiError({ ...status, details: { ...status.details, causes: [cause] } });
}
