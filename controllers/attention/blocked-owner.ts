import { fromTime } from '../../base/clock/index.ts';
import { type ObjectRule, nameOf } from '../../runtime/index.ts';

/** Owner that was deleted in the foreground and waits for a dependent. */
export const blockedOwner: ObjectRule = {
  reason: 'dependents-remain',
  controller: 'garbagecollector',
  patienceMs: 60_000,
  applies: ({ metadata }) =>
    metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes('foregroundDeletion') === true,
  find(found, facts) {
    const { uid, namespace, deletionTimestamp } = found.object.metadata ?? {};
    const dependent = facts.search(namespace, ({ metadata }) =>
      (metadata?.ownerReferences ?? []).some(
        (owner) => owner.uid === uid && owner.blockOwnerDeletion === true,
      ),
    );
    const owner = nameOf(facts.link(found));
    const sinceMs = fromTime(deletionTimestamp);
    if (dependent === undefined)
      return { sinceMs, sentence: `${owner} was deleted in the foreground and waits for its dependents.` };
    const blocker = facts.link(dependent);
    const { finalizers = [] } = dependent.object.metadata ?? {};
    const why = finalizers.length === 0 ? '' : `, which its finalizer ${finalizers.join(', ')} keeps`;
    return {
      sinceMs,
      blocker,
      sentence: `${owner} cannot be deleted before its dependent ${nameOf(blocker)}${why}.`,
    };
  },
};
