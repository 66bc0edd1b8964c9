import { isNotFound } from '../../../api/status/index.ts';
import { WorkBudget } from '../../../base/budget/index.ts';
import { deleteObject } from './delete.ts';
import { listObjects } from '../read/read.ts';
import type { DeleteParameters, EncodedList, ListParameters, WriteContext } from '../registry.ts';
import type { Resource } from '../resource.ts';
import { changedContext } from '../write/write-context.ts';

/** Maximum number of concurrent deletions of one request. */
const WIDTH = 32;
/** Cost of one deletion in work units, without reading the object. */
const OBJECT_WORK = 30;

/** Deletes the objects that a list with the same parameters returns. */
export async function deleteCollection(
  resource: Resource,
  list: ListParameters,
  parameters: DeleteParameters,
  context: WriteContext,
): Promise<EncodedList> {
  const found = await listObjects(resource, list);
  const each: DeleteParameters = { ...parameters, isOfCollection: true };
  const waiting = found.items.values();
  // The budget only makes the loop pause for other requests. It has no limit, so that a large collection is
  // not deleted in part.
  const budget = WorkBudget.unlimited();
  const paced = changedContext(context, { budget });
  let failure: { readonly thrown: unknown } | undefined;
  const work = async (): Promise<void> => {
    for (const { object } of waiting) {
      if (failure) return;
      const { namespace = '', name = '' } = object.metadata ?? {};
      budget.spend(OBJECT_WORK);
      if (budget.isDue) await budget.pause();
      try {
        await deleteObject(resource, namespace, name, each, paced);
      } catch (thrown) {
        // An object deleted by another client counts as deleted.
        if (!isNotFound(thrown)) failure ??= { thrown };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(WIDTH, found.items.length) }, work));
  if (failure) throw failure.thrown;
  return found;
}
