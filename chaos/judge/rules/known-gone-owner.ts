import type { Reading } from '../reading.ts';
import { keyOfObject, objectIn } from '../keys.ts';
import { type WireRule, findingOf } from '../rule.ts';
import type { WireVersion } from '../wire-history.ts';

const ID = 'known-gone-owner';

/** Rule: a client creates no object for an owner whose removal it has received. */
export const knownGoneOwner: WireRule = {
  id: ID,
  says: 'nothing is created for an owner whose removal was received before',
  judge(reading) {
    const removed = removals(reading);
    const creates = reading.effects.filter(
      ({ request }) =>
        request.verb === 'create' && (objectIn(request.body)?.metadata.ownerReferences ?? []).length > 0,
    );
    const findings = creates.flatMap((effect) => {
      const { run, seq, body } = effect.request;
      for (const { uid = '' } of objectIn(body)?.metadata.ownerReferences ?? []) {
        const removal = removed.get(uid);
        if (removal === undefined || removal.seq > seq) continue;
        const belief = reading.beliefs.of(run, keyOfObject(removal.resource, removal.object), seq);
        if (belief === undefined || belief.object?.metadata.uid === uid || belief.seq < removal.seq) continue;
        const text = `create of ${effect.key} for the owner ${removal.object.metadata.name ?? ''} with uid ${uid}, whose removal the client had received`;
        return [findingOf(ID, effect, text, [removal, belief])];
      }
      return [];
    });
    return { reached: creates.length, findings };
  },
};

const removals = ({ history }: Reading): ReadonlyMap<string, WireVersion> =>
  new Map(
    history.versions.flatMap((version) =>
      version.deleted ? [[version.object.metadata.uid ?? '', version] as const] : [],
    ),
  );
