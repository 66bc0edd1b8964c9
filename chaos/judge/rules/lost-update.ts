import { equalJson } from '../../../api/schema/index.ts';
import { type Difference, differences, valueAt } from '../difference.ts';
import type { Effect, Reading } from '../reading.ts';
import { type WireRule, findingOf } from '../rule.ts';
import type { WireObject } from '../wire-history.ts';
import { isApply } from './unread-incarnation.ts';

const ID = 'lost-update';
const VERBS = new Set(['update', 'patch']);

/** Rule: an update does not undo a change of another writer that the client has not received. */
export const lostUpdate: WireRule = {
  id: ID,
  says: 'no update or patch undoes a change that its sender never received',
  judge(reading) {
    const judged = reading.effects.filter(({ request }) => VERBS.has(request.verb) && !isApply(request));
    const findings = judged.flatMap((effect) => {
      const { before, after } = effect;
      const base = baseOf(effect, reading);
      if (base === undefined || before === undefined || after === undefined || before === after) return [];
      if (base.metadata.uid !== before.object.metadata.uid) return [];
      if (Number(base.metadata.resourceVersion ?? 0) >= before.revision) return [];
      const lost = differences(base, before.object).filter((change) => isUndone(change, after.object));
      const [first] = lost;
      if (first === undefined) return [];
      const text = `${effect.request.verb} of ${effect.key} undoes the change of ${first.path} in version ${before.revision}; the client last received version ${base.metadata.resourceVersion ?? 'none'}`;
      return [findingOf(ID, effect, text, [before, after])];
    });
    return { reached: judged.length, findings };
  },
};

/** Returns the state on which the client based an update: the last state that it received or wrote. */
function baseOf(effect: Effect, { effects }: Reading): WireObject | undefined {
  if (effect.belief !== undefined) return effect.belief.object;
  return effects.findLast(({ key, request }) => key === effect.key && request.seq < effect.request.seq)?.after
    ?.object;
}

/**
 * True if a later version has the old value again. A list counts if it lacks an added item or contains a
 * removed item.
 */
function isUndone({ path, from, to }: Difference, after: WireObject): boolean {
  const now = valueAt(after, path);
  if (equalJson(now, to)) return false;
  if (equalJson(now, from)) return true;
  if (!Array.isArray(to) || !(Array.isArray(now) || now === undefined)) return false;
  const [before, meant, result] = [from, to, now].map(
    (list) => new Set((Array.isArray(list) ? list : []).map((item: unknown) => JSON.stringify(item))),
  );
  const isAddedLost = [...(meant ?? [])].some(
    (item) => before?.has(item) === false && result?.has(item) === false,
  );
  const isRemovedBack = [...(before ?? [])].some(
    (item) => meant?.has(item) === false && result?.has(item) === true,
  );
  return isAddedLost || isRemovedBack;
}
