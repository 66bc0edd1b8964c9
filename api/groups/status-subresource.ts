import { carryOver } from '../kinds/carry-over.ts';
import type { ApiObject, DeepReadonly, KeptMetadata, ObjectSubresource } from '../kinds/kind.ts';
import type { FieldErrors } from '../status/field-errors.ts';
import type { ObjectMeta } from '../types/meta-v1.ts';

/** The usual `status` subresource: it writes the status, never the spec. */
export const statusSubresource = <T extends ApiObject & { spec?: unknown; status?: unknown }>(
  validate: (next: DeepReadonly<T>, previous: DeepReadonly<T>) => FieldErrors = () => [],
): ObjectSubresource<T> => ({
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate: (next, previous) =>
    carryOver<{ spec?: unknown }>(next, previous as DeepReadonly<{ spec?: unknown }>, 'spec'),
  validateUpdate: (next, previous) => validate(next, previous),
});

const CLIENTS_METADATA: readonly KeptMetadata[] = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** A `status` subresource that writes the status alone: who reports changes nothing of the metadata either. */
export const statusAloneSubresource = <T extends ApiObject & { spec?: unknown; status?: unknown }>(
  validate?: (next: DeepReadonly<T>, previous: DeepReadonly<T>) => FieldErrors,
): ObjectSubresource<T> => {
  const status = statusSubresource<T>(validate);
  return {
    ...status,
    keptMetadata: CLIENTS_METADATA,
    prepareForUpdate(next, previous, context) {
      status.prepareForUpdate(next, previous, context);
      const { metadata: kept = {} }: DeepReadonly<ApiObject> = previous;
      if (next.metadata) carryOver<ObjectMeta>(next.metadata, kept, ...CLIENTS_METADATA);
    },
  };
};
