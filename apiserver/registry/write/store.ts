import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import { ApiError, alreadyExists } from '../../../api/status/index.ts';
import { isStampOf, stampResourceVersion, unstampResourceVersion } from '../../storage/stamp.ts';
import { StorageConflict, type Stored } from '../../storage/storage.ts';
import { rememberApplication } from '../fields/tracking.ts';
import { metadataOf } from './metadata.ts';
import type { WriteResult } from '../registry.ts';
import { EncodedBytes, type Resource, objectKey, parseObject } from '../resource.ts';
import { equalStored, serialised, storedBytes } from './serialisation.ts';
import { type Draft, type Replacement, isReplacement } from './draft.ts';
import { onlyTimesDiffer } from './validate.ts';

/**
 * Commits the object, unless the write changes nothing. Rejects with `StorageConflict` if another writer has
 * replaced the object.
 */
export const store = (draft: Draft): Promise<WriteResult> =>
  isReplacement(draft) ? storeReplacement(draft) : storeNew(draft);

async function storeNew({ resource, namespace, object, context }: Draft): Promise<WriteResult> {
  const { name = '', generateName } = object.metadata ?? {};
  const key = objectKey(resource, namespace, name);
  const bytes = await storedBytes(resource, object, context.budget);
  context.signal.throwIfAborted();
  try {
    const { value } = await resource.storage.put(key, bytes, 'absent');
    return new WrittenBytes(context.dryRun ? unstampResourceVersion(value) : value, true);
  } catch (thrown) {
    if (!(thrown instanceof StorageConflict)) throw thrown;
    throw generateName
      ? generatedNameTaken(resource, name)
      : nameTaken(resource, name, await resource.storage.get(key));
  }
}

async function storeReplacement(draft: Replacement): Promise<WriteResult> {
  const { resource, object: next, previous, stored, context } = draft;
  const finished = isFinished(draft);
  const isNew = finished || stored.outdated === true;
  const isRecent = resource.policy.sharesItems && draft.subresource === '';
  if (!isNew && onlyTimesDiffer(draft)) {
    if (isRecent) resource.recent.add(stored, previous);
    rememberApplication(next, previous);
    return new WrittenBytes(stored.value, false);
  }
  const { bytes, object } = await serialised(resource, next, context.budget);
  if (!isNew && isAsStored(object, previous)) return new WrittenBytes(stored.value, false);
  context.signal.throwIfAborted();
  if (finished) {
    await resource.storage.delete(stored.key, stored.revision);
    // The client of an update expects the object it sent, although that object no longer exists.
    return new WrittenBytes(stampResourceVersion(bytes, stored.revision), false);
  }
  const { value, revision } = await resource.storage.put(stored.key, bytes, stored.revision);
  // A converting store may return other bytes than it has received.
  if (isRecent && isStampOf(value, bytes)) {
    metadataOf(object).resourceVersion = String(revision);
    resource.recent.add({ key: stored.key, value }, object);
    rememberApplication(next, object);
  }
  return new WrittenBytes(value, false);
}

class WrittenBytes extends EncodedBytes implements WriteResult {
  readonly created: boolean;

  constructor(bytes: Buffer, isCreated: boolean) {
    super(bytes);
    this.created = isCreated;
  }
}

/**
 * True if the object equals the stored one. The metadata are compared last: most writes differ in another
 * member, and then the metadata need not be copied without the resource version.
 */
const isAsStored = (object: ApiObject, previous: DeepReadonly<ApiObject>): boolean =>
  Object.keys(object).every(
    (name) => name === 'metadata' || equalStored(memberOf(object, name), memberOf(previous, name)),
  ) && equalStored(object, withoutVersion(previous));

const memberOf = (object: DeepReadonly<ApiObject>, name: string): unknown =>
  (object as { readonly [name: string]: unknown })[name];

function withoutVersion(object: DeepReadonly<ApiObject>): DeepReadonly<ApiObject> {
  const { resourceVersion: _resourceVersion, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

/**
 * True if the object can be removed: it is being deleted and has neither a grace period nor finalizers left.
 */
function isFinished({ resource, object, previous }: Replacement): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = previous.metadata ?? {};
  if (deletionTimestamp === undefined || (deletionGracePeriodSeconds ?? 0) > 0) return false;
  if ((object.metadata?.finalizers ?? []).length > 0) return false;
  return resource.policy.deletion !== 'namespace' || namespaceFinalizersOf(object).length === 0;
}

const namespaceFinalizersOf = (object: DeepReadonly<ApiObject>): readonly string[] =>
  (memberOf(object, 'spec') as { readonly finalizers?: readonly string[] } | undefined)?.finalizers ?? [];

/**
 * Returns the 409 for the name of an existing object. Its message differs if that object is being deleted.
 */
function nameTaken(resource: Resource, name: string, stored: Stored | undefined): ApiError {
  const error = alreadyExists(resource.name, name);
  const leaving = stored && parseObject(stored.value).metadata?.deletionTimestamp !== undefined;
  if (!leaving) return error;
  return new ApiError({ ...error.status, message: `object is being deleted: ${error.message}` });
}

/** Returns a 409 that asks the client to retry. The next attempt generates another name. */
function generatedNameTaken(resource: Resource, name: string): ApiError {
  const { status } = alreadyExists(resource.name, name);
  return new ApiError({
    ...status,
    message: `${status.message ?? ''}, the server was not able to generate a unique name for the object`,
    details: { ...status.details, retryAfterSeconds: 1 },
  });
}
