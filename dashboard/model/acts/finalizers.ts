import { objectPath, splitName } from '../object-path.ts';
import { type Act, type ActSource, type ActSubject, MERGE_PATCH } from './act.ts';

/** Removes one finalizer of the object, without the clean-up for which it waits. */
export const finalizers: ActSource = (subject) =>
  (subject.object?.metadata?.finalizers ?? []).map((finalizer) => removal(subject, finalizer));

function removal({ resource, name, object }: ActSubject, finalizer: string): Act {
  const { metadata = {} } = object ?? {};
  const rest = (metadata.finalizers ?? []).filter((each) => each !== finalizer);
  const isLast = metadata.deletionTimestamp !== undefined && rest.length === 0;
  const { group, plural } = resource;
  return {
    label: `remove ${finalizer}`,
    effect: `Removes the finalizer ${finalizer} without its clean-up.`,
    needs: [
      { text: `patch ${plural}`, anyOf: [{ verb: 'patch', group, resource: plural, ...splitName(name) }] },
    ],
    done: `The finalizer ${finalizer} is removed.`,
    warning: `The owner of ${finalizer} uses it to clean up before ${name} is deleted. If you remove it, that clean-up may never happen, and what it protects may be left over or lost.${isLast ? ' It is the last finalizer: the object is deleted at once.' : ''}`,
    isDangerous: true,
    request: () => ({
      method: 'PATCH',
      path: objectPath(resource, name),
      contentType: MERGE_PATCH,
      // The versions reject the patch if the list has changed since it was displayed.
      body: {
        metadata: { uid: metadata.uid, resourceVersion: metadata.resourceVersion, finalizers: rest },
      },
    }),
  };
}
