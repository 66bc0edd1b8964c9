import {
  type ApiObject,
  type DeepReadonly,
  type ObjectSubresource,
  isVirtualSubresource,
} from '../../../api/kinds/index.ts';
import { type ApiError, MODIFIED, badRequest, conflict, invalid } from '../../../api/status/index.ts';
import {
  bumpGeneration,
  carryGeneration,
  metadataOf,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
} from './metadata.ts';
import type { Resource } from '../resource.ts';
import { equalStored } from './serialisation.ts';
import { type Draft, type Replacement, isReplacement } from './draft.ts';

/**
 * Checks the resource version that the object states (optimistic concurrency): it must equal the stored one.
 * If the object states none, the stored version is used. Throws a 409 for another version, a 422 if the kind
 * requires a version, a 400 if it is malformed.
 */
export function checkVersion(draft: Draft): void {
  if (!isReplacement(draft)) return;
  const { resource, change, object, stored } = draft;
  const meta = metadataOf(object);
  const given = meta.resourceVersion;
  if (!namesVersion(given)) {
    if (!resource.policy.unconditionalUpdate) throw versionRequired(resource, change.name);
    meta.resourceVersion = String(stored.revision);
    return;
  }
  if (!/^\d+$/.test(given))
    throw badRequest(`strconv.ParseUint: parsing ${JSON.stringify(given)}: invalid syntax`);
  if (given !== String(stored.revision)) throw conflict(resource.name, change.name, MODIFIED);
}

/** True if a body states a resource version. '0' means any version. */
export const namesVersion = (given: string | undefined): given is string =>
  given !== undefined && given !== '' && given !== '0';

/**
 * Returns a 422 for a missing resource version. Upstream puts the resource in place of the kind, and prints
 * the missing number as Go does.
 */
const versionRequired = ({ name: { group, resource } }: Resource, name: string): ApiError =>
  invalid({ group, kind: resource }, name, [
    {
      type: 'FieldValueInvalid',
      field: 'metadata.resourceVersion',
      message: 'Invalid value: 0x0: must be specified for an update',
    },
  ]);

/** Sets the fields that the server determines, and restores those that a client may not change. */
export const prepare = (draft: Draft): void =>
  isReplacement(draft) ? prepareReplacement(draft) : prepareNew(draft);

function prepareNew({ resource, object, input }: Draft): void {
  prepareMetadataForCreate(resource, object);
  resource.kind.strategy.prepareForCreate?.(object, input);
}

function prepareReplacement(draft: Replacement): void {
  const { object, previous, input } = draft;
  const { strategy, generation } = draft.resource.kind;
  const written = subresourceOf(draft);
  carryGeneration(object, previous);
  (written ?? strategy).prepareForUpdate?.(object, previous, input);
  if (!written && generation && specChanged(object, previous)) bumpGeneration(object);
  prepareMetadataForUpdate(object, previous);
}

/** Returns the subresource that is written, or undefined for the object itself. */
export function subresourceOf({ resource, subresource }: Draft): ObjectSubresource | undefined {
  const found = subresource === '' ? undefined : resource.kind.subresources[subresource];
  return found && isVirtualSubresource(found) ? found.writes : found;
}

/** True if the stored form of `spec` changes. An undefined member is treated as absent. */
const specChanged = (next: ApiObject, previous: DeepReadonly<ApiObject>): boolean =>
  !equalStored(specOf(next), specOf(previous));

const specOf = (object: DeepReadonly<ApiObject>): unknown => (object as { readonly spec?: unknown }).spec;
