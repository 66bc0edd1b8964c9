import { carryOver } from '../kinds/carry-over.ts';
import type {
  ApiObject,
  DeepReadonly,
  PreservedMetadata,
  ObjectSubresource,
  StrategyContext,
} from '../kinds/kind.ts';
import type { FieldErrors } from '../status/field-errors.ts';
import type { ObjectMeta } from '../types/meta-v1.ts';

type StatusCheck<T> = (
  next: DeepReadonly<T>,
  previous: DeepReadonly<T>,
  context: StrategyContext,
) => FieldErrors;

/** Returns the usual `status` subresource, which writes the status and preserves the spec. */
export const statusSubresource = <T extends ApiObject & { spec?: unknown; status?: unknown }>(
  validate: StatusCheck<T> = () => [],
): ObjectSubresource<T> => ({
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate: (next, previous) =>
    carryOver<{ spec?: unknown }>(next, previous as DeepReadonly<{ spec?: unknown }>, 'spec'),
  validateUpdate: validate,
});

const CLIENTS_METADATA: readonly PreservedMetadata[] = [
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
];

/**
 * Returns a `status` subresource that also preserves metadata: the fields in `preservedMetadata`, by default
 * all fields that clients own.
 */
export const statusAloneSubresource = <T extends ApiObject & { spec?: unknown; status?: unknown }>(
  validate?: StatusCheck<T>,
  preservedMetadata: readonly PreservedMetadata[] = CLIENTS_METADATA,
): ObjectSubresource<T> => {
  const status = statusSubresource<T>(validate);
  return {
    ...status,
    preservedMetadata,
    prepareForUpdate(next, previous, context) {
      status.prepareForUpdate(next, previous, context);
      const { metadata: kept = {} }: DeepReadonly<ApiObject> = previous;
      if (next.metadata) carryOver<ObjectMeta>(next.metadata, kept, ...preservedMetadata);
    },
  };
};
