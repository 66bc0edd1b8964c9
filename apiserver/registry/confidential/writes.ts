import type { Soon } from '../../../base/async/index.ts';
import { SeenValues, maskedError } from './seen-values.ts';
import type { ResourceRegistry, WriteContext } from '../registry.ts';
import { changedContext } from '../write/write-context.ts';

/**
 * Wraps the verbs so that error responses, warnings and audit annotations contain no confidential values of
 * the written objects.
 */
export const confidentialWrites = (verbs: ResourceRegistry): ResourceRegistry => ({
  ...verbs,
  create: (namespace, body, context) =>
    withoutValues(context, (masked) => verbs.create(namespace, body, masked)),
  update: (namespace, name, subresource, body, context) =>
    withoutValues(context, (masked) => verbs.update(namespace, name, subresource, body, masked)),
  patch: (namespace, name, subresource, type, patch, context) =>
    withoutValues(context, (masked) => verbs.patch(namespace, name, subresource, type, patch, masked)),
  delete: (namespace, name, parameters, context) =>
    withoutValues(context, (masked) => verbs.delete(namespace, name, parameters, masked)),
  deleteCollection: (list, parameters, context) =>
    withoutValues(context, (masked) => verbs.deleteCollection(list, parameters, masked)),
});

/** Runs a write with a context that masks what plugins, webhooks and validators report about the objects. */
export async function withoutValues<T>(
  context: WriteContext,
  write: (masked: WriteContext) => Soon<T>,
): Promise<T> {
  const seen = new SeenValues();
  const { warn, annotate } = context;
  const masked = changedContext(context, {
    seen,
    warn: (text) => warn(seen.mask(text)),
    ...(annotate && { annotate: (key, value, least) => annotate(seen.mask(key), seen.mask(value), least) }),
  });
  try {
    return await write(masked);
  } catch (thrown) {
    throw maskedError(seen.mask, thrown);
  }
}
