import { persistentVolumeClaims } from '../../api/groups/core-v1-storage.ts';
import { pods } from '../../api/groups/core-v1.ts';
import { fromTime } from '../../base/clock/index.ts';
import {
  type Finding,
  type Found,
  type ObjectLink,
  type ObjectRule,
  type RuleFacts,
  nameOf,
} from '../../runtime/index.ts';

const FOREGROUND = 'foregroundDeletion';
const OWN_CONTROLLERS: readonly (readonly [RegExp, string])[] = [
  [/\/pvc-protection$/, 'pvc-protection'],
  [/\/pv-protection$/, 'pv-protection'],
];

/** Object that was deleted and still exists, because a finalizer holds it or its node does not report it. */
export const blockedDeletion: ObjectRule = {
  reason: 'deletion-blocked',
  controller: 'garbagecollector',
  patienceMs: 60_000,
  applies: ({ metadata }) =>
    metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND) !== true,
  find(found, facts) {
    const { kind, object } = found;
    const sinceMs = fromTime(object.metadata?.deletionTimestamp);
    const name = nameOf(facts.link(found));
    // The content of a namespace blocks it: another rule names that.
    if (kind.plural === 'namespaces' && kind.group === '') return undefined;
    const { finalizers = [] } = object.metadata ?? {};
    if (finalizers.length === 0)
      return { sinceMs, sentence: `${name} was deleted, and no node agent has confirmed that it has ended.` };
    return { sinceMs, ...held(found, name, finalizers, facts) };
  },
};

function held(
  { kind, object }: Found,
  name: string,
  finalizers: readonly string[],
  facts: RuleFacts,
): Finding {
  const controller = OWN_CONTROLLERS.find(([pattern]) => finalizers.some((each) => pattern.test(each)))?.[1];
  const { namespace = '', name: own = '' } = object.metadata ?? {};
  const isClaim = kind.plural === persistentVolumeClaims.plural;
  const user = isClaim ? facts.once(usersOfClaims).get(`${namespace}/${own}`) : undefined;
  if (user !== undefined)
    return {
      controller: 'pvc-protection',
      blocker: user,
      sentence: `${name} cannot be deleted while ${nameOf(user)} uses it.`,
    };
  const which = finalizers.length === 1 ? 'finalizer' : 'finalizers';
  const removed = finalizers.length === 1 ? 'has not been removed' : 'have not been removed';
  return {
    ...(controller === undefined ? {} : { controller }),
    sentence: `${name} cannot be deleted: its ${which} ${finalizers.join(', ')} ${removed} by whoever set ${finalizers.length === 1 ? 'it' : 'them'}.`,
  };
}

/** Returns one pod that uses a claim, by `namespace/name` of the claim. */
function usersOfClaims(facts: RuleFacts): ReadonlyMap<string, ObjectLink> {
  const users = new Map<string, ObjectLink>();
  for (const { metadata, spec } of facts.list(pods) ?? [])
    for (const { persistentVolumeClaim } of spec?.volumes ?? []) {
      const claim = `${metadata?.namespace ?? ''}/${persistentVolumeClaim?.claimName ?? ''}`;
      if (persistentVolumeClaim !== undefined && !users.has(claim))
        users.set(claim, facts.linkTo(pods, metadata?.name ?? '', metadata?.namespace));
    }
  return users;
}
