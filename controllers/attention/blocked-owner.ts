import { fromTime } from '../../base/clock/index.ts';
import { type Found, type ObjectRule, type RuleFacts, nameOf } from '../../runtime/index.ts';

/** Returns one dependent that blocks its owner, by the uid of the owner. */
function blockingDependents(facts: RuleFacts): ReadonlyMap<string, Found> {
  const dependents = new Map<string, Found>();
  for (const found of facts.all())
    for (const { uid, blockOwnerDeletion } of found.object.metadata?.ownerReferences ?? [])
      if (blockOwnerDeletion === true && !dependents.has(uid)) dependents.set(uid, found);
  return dependents;
}

/** Owner that was deleted in the foreground and waits for a dependent. */
export const blockedOwner: ObjectRule = {
  reason: 'dependents-remain',
  controller: 'garbagecollector',
  patienceMs: 60_000,
  applies: ({ metadata }) =>
    metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes('foregroundDeletion') === true,
  find(found, facts) {
    const { uid = '', deletionTimestamp } = found.object.metadata ?? {};
    const dependent = facts.once(blockingDependents).get(uid);
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
