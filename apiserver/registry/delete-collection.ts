import { isNotFound } from '../../api/status/api-error.ts';
import { deleteObject } from './write/delete.ts';
import { listObjects } from './read.ts';
import type { DeleteParameters, EncodedList, ListParameters, WriteContext } from './registry.ts';
import type { Resource } from './resource.ts';

/** How many deletions of one request are under way at a time. */
const WIDTH = 32;

/** DELETE of a collection: what a list with the same parameters shows is deleted, object by object. */
export async function deleteCollection(
  resource: Resource,
  list: ListParameters,
  parameters: DeleteParameters,
  context: WriteContext,
): Promise<EncodedList> {
  const found = await listObjects(resource, list);
  const each: DeleteParameters = { ...parameters, isOfCollection: true };
  const waiting = found.items.values();
  let failure: { readonly thrown: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (const { object } of waiting) {
      if (failure) return;
      const { namespace = '', name = '' } = object.metadata ?? {};
      try {
        await deleteObject(resource, namespace, name, each, context);
      } catch (thrown) {
        // Gone meanwhile is as good as deleted.
        if (!isNotFound(thrown)) failure ??= { thrown };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(WIDTH, found.items.length) }, work));
  if (failure) throw failure.thrown;
  return found;
}
