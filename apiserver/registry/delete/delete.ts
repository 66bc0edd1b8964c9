import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { conflict, forbidden, notFound } from '../../../api/status/index.ts';
import { charged } from '../../../base/budget/index.ts';
import { StorageConflict, type Stored } from '../../storage/storage.ts';
import { type AdmissionSubject, admit, mutate } from '../write/admission.ts';
import { markDefinition } from './definition-mark.ts';
import { type Marked, mark, markNamespace } from './deletion-mark.ts';
import type { DeleteParameters, Deleted, WriteContext } from '../registry.ts';
import { EncodedBytes, type Resource, objectKey, parseObject } from '../resource.ts';
import { isUnchanged, toStoredBytes } from '../write/serialisation.ts';
import { changedContext } from '../write/write-context.ts';
import { inAttempts } from '../write/attempts.ts';

/**
 * Deletes one object: marks it for deletion, or removes it if no finalizer or grace period keeps it. Throws
 * `ApiError` with code 403, 404 or 409.
 */
export async function deleteObject(
  resource: Resource,
  namespace: string,
  name: string,
  parameters: DeleteParameters,
  context: WriteContext,
): Promise<Deleted> {
  const { deletionWarning, undeletable } = resource.policy;
  if (!parameters.isOfCollection && undeletable?.names.includes(name))
    throw forbidden(resource.name, name, undeletable.because);
  if (deletionWarning !== undefined && parameters.propagationPolicy === undefined)
    context.warn(deletionWarning);
  const key = objectKey(resource, namespace, name);
  const versioned = parameters.preconditions.resourceVersion !== undefined;
  let isMutated = false;
  return inAttempts(resource, key, { versioned }, context, async (stored, warn) => {
    if (!stored) throw notFound(resource.name, name);
    const attempted = changedContext(context, { warn });
    const previous = charged(context.budget, () => parseObject(stored.value));
    const subject: AdmissionSubject = {
      operation: 'DELETE',
      namespace,
      name: parameters.isOfCollection ? '' : name,
      subresource: '',
      object: undefined,
      previous,
    };
    // Mutating plugins cannot change a deletion, so running them once is enough for their side effects.
    if (!isMutated) await charged(context.budget, () => mutate(resource, subject, attempted));
    isMutated = true;
    checkPreconditions(resource, name, previous, stored, parameters);
    await charged(context.budget, () => admit(resource, subject, attempted));
    return markOrRemove(resource, stored, previous, parameters);
  });
}

/**
 * Writes the effect of the request to the store. Rejects with `StorageConflict` if another client has changed
 * the object.
 */
async function markOrRemove(
  resource: Resource,
  stored: Stored,
  previous: DeepReadonly<ApiObject>,
  parameters: DeleteParameters,
): Promise<Deleted> {
  const marked = markFor(resource, previous, parameters);
  if (marked.outcome === 'pending') return deleted(resource, stored.value, false);
  if (marked.outcome === 'keep') {
    const bytes = toStoredBytes(resource, marked.object);
    if (isUnchanged(bytes, stored.value)) return deleted(resource, stored.value, false);
    const { value } = await resource.storage.put(stored.key, bytes, stored.revision);
    return deleted(resource, value, false);
  }
  if (marked.object) return removeMarked(resource, stored, marked.object);
  await resource.storage.delete(stored.key, stored.revision);
  return deleted(resource, stored.value, true);
}

/**
 * Writes the last state of an object, then removes the object. Watchers receive a modification with the
 * deletion time and no grace period, then the deletion. Another client may remove the object between the two
 * writes. See `Store.updateForGracefulDeletionAndFinalizers` in
 * https://github.com/kubernetes/kubernetes/blob/release-1.24/staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go.
 */
async function removeMarked(resource: Resource, stored: Stored, last: ApiObject): Promise<Deleted> {
  const bytes = toStoredBytes(resource, last);
  const { key, value, revision } = await resource.storage.put(stored.key, bytes, stored.revision);
  try {
    await resource.storage.delete(key, revision);
  } catch (thrown) {
    if (!(thrown instanceof StorageConflict) || thrown.current) throw thrown;
  }
  return deleted(resource, value, true);
}

const markFor = (
  resource: Resource,
  previous: DeepReadonly<ApiObject>,
  parameters: DeleteParameters,
): Marked => {
  const nowMs = resource.environment.clock.now();
  switch (resource.policy.deletion) {
    case 'namespace':
      return markNamespace(resource.policy, previous, parameters, nowMs);
    case 'definition':
      return markDefinition(resource.policy, previous, parameters, nowMs, resource.scheme.vocabulary);
    default:
      return mark(resource.policy, previous, parameters, nowMs);
  }
};

class DeletedBytes extends EncodedBytes implements Deleted {
  readonly isRemoved: boolean;
  readonly returnsObject: boolean;

  constructor(bytes: Buffer, isRemoved: boolean, returnsObject: boolean) {
    super(bytes);
    this.isRemoved = isRemoved;
    this.returnsObject = returnsObject;
  }
}

const deleted = (resource: Resource, bytes: Buffer, isRemoved: boolean): Deleted =>
  new DeletedBytes(bytes, isRemoved, !isRemoved || resource.policy.returnsDeleted);

function checkPreconditions(
  resource: Resource,
  name: string,
  previous: DeepReadonly<ApiObject>,
  stored: Stored,
  { preconditions }: DeleteParameters,
): void {
  const { uid, resourceVersion } = preconditions;
  const foundUid = previous.metadata?.uid ?? '';
  const found = String(stored.revision);
  if (uid !== undefined && uid !== foundUid) throw preconditionFailed(resource, name, 'UID', uid, foundUid);
  if (resourceVersion !== undefined && resourceVersion !== found)
    throw preconditionFailed(resource, name, 'ResourceVersion', resourceVersion, found);
}

const CHANGES = {
  UID: 'been deleted and then recreated',
  ResourceVersion: 'been modified',
} as const;

/**
 * Returns a 409. Upstream names the kind here instead of the resource, except for namespaces and
 * CustomResourceDefinitions.
 */
function preconditionFailed(
  resource: Resource,
  name: string,
  what: keyof typeof CHANGES,
  wanted: string,
  found: string,
): Error {
  if (resource.policy.deletion === 'namespace' || resource.policy.deletion === 'definition')
    return conflict(
      resource.name,
      name,
      `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
    );
  const { group, kind } = resource.kindName;
  return conflict(
    { group, resource: kind },
    name,
    `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). ` +
      `The object might have ${CHANGES[what]}`,
  );
}
