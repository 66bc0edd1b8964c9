import { canonical } from '../difference.ts';
import { objectIn } from '../keys.ts';
import type { Effect, Reading } from '../reading.ts';
import { type WireRule, findingOf } from '../rule.ts';

const ID = 'twin-creates';

/**
 * Rule: a create whose response was lost is not repeated under another name before the client has read the
 * first object.
 */
export const twinCreates: WireRule = {
  id: ID,
  says: 'a create whose response was lost is not repeated before a read that shows the first object',
  judge(reading, calm) {
    const creates = reading.effects.filter(({ request }) => request.verb === 'create');
    const allowed = calm === undefined ? undefined : mostAlive(calm);
    const findings = creates.flatMap((effect, i) => {
      const meaning = meaningOf(effect);
      const first = creates
        .slice(0, i)
        .findLast((each) => meaningOf(each) === meaning && each.key !== effect.key && isLost(each));
      if (first === undefined || !isAliveAt(first, effect, reading)) return [];
      if (hasRead(first, effect, reading)) return [];
      if (
        allowed !== undefined &&
        aliveWith(effect, creates.slice(0, i), reading) < (allowed.get(meaning) ?? 0)
      )
        return [];
      const text = `create of ${effect.key} while its twin ${first.key} exists: the response to the first create was lost, and the client created again without having read it`;
      return [findingOf(ID, effect, text, [first.request, first.after])];
    });
    return { reached: creates.filter(isLost).length, findings };
  },
};

const isLost = ({ request }: Effect): boolean => request.delivered === undefined;

/** Returns the content that a create requests, without the object's name. */
function meaningOf({ request }: Effect): string {
  const { metadata, ...fields } = objectIn(request.body) ?? { metadata: {} };
  const { name: _, ...rest } = metadata;
  return canonical([request.resource, request.namespace, fields, rest]);
}

function isAliveAt({ after }: Effect, { request }: Effect, { history }: Reading): boolean {
  const uid = after?.object.metadata.uid;
  return !history.versions.some(
    ({ object, deleted, seq }) => deleted && object.metadata.uid === uid && seq < request.seq,
  );
}

/** True if the client had received the object of the first create when it sent the second create. */
const hasRead = (first: Effect, { request }: Effect, { beliefs }: Reading): boolean =>
  beliefs
    .before(first.key, request.seq)
    .some(({ seq, object }) => seq > first.request.seq && object !== undefined);

const aliveWith = (effect: Effect, earlier: readonly Effect[], reading: Reading): number =>
  earlier.filter((each) => meaningOf(each) === meaningOf(effect) && isAliveAt(each, effect, reading)).length;

/** Returns the maximum number of equal objects that existed at the same time, by content. */
function mostAlive(reading: Reading): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  const creates = reading.effects.filter(({ request }) => request.verb === 'create');
  for (const [i, effect] of creates.entries()) {
    const alive = 1 + aliveWith(effect, creates.slice(0, i), reading);
    const meaning = meaningOf(effect);
    most.set(meaning, Math.max(alive, most.get(meaning) ?? 0));
  }
  return most;
}
