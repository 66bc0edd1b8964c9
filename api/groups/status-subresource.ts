import { carryOver } from '../kinds/carry-over.ts';
import type { ApiObject, DeepReadonly, ObjectSubresource } from '../kinds/kind.ts';
import type { FieldErrors } from '../status/field-errors.ts';

/** The usual `status` subresource: it writes the status, never the spec. */
export const statusSubresource = <T extends ApiObject & { spec?: unknown; status?: unknown }>(
  validate: (next: DeepReadonly<T>, previous: DeepReadonly<T>) => FieldErrors = () => [],
): ObjectSubresource<T> => ({
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate: (next, previous) =>
    carryOver<{ spec?: unknown }>(next, previous as DeepReadonly<{ spec?: unknown }>, 'spec'),
  validateUpdate: (next, previous) => validate(next, previous),
});
