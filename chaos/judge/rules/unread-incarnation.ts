import { isRecord } from '../../../base/collections/index.ts';
import { objectIn } from '../keys.ts';
import type { Effect } from '../reading.ts';
import { type WireRule, findingOf } from '../rule.ts';
import type { WireRequest } from '../wire-history.ts';

const ID = 'unread-incarnation';

/** True if the API server rejects the write for every version except the one that the client read. */
export function isConditional({ verb, body }: WireRequest): boolean {
  if (verb === 'delete') {
    const conditions = isRecord(body) ? body['preconditions'] : undefined;
    return isRecord(conditions) && (conditions['uid'] ?? conditions['resourceVersion']) !== undefined;
  }
  if (Array.isArray(body))
    return body.some(
      (each) => isRecord(each) && each['op'] === 'test' && /uid|resourceVersion/.test(String(each['path'])),
    );
  const { uid, resourceVersion } = objectIn(body)?.metadata ?? {};
  return (uid ?? resourceVersion ?? '') !== '';
}

/** True for server-side apply, which is meant for any object of that name. */
export const isApply = ({ contentType }: WireRequest): boolean => contentType.includes('apply-patch');

const VERBS = new Set(['delete', 'update', 'patch']);

/** Rule: a write by name does not affect another object than the one that the client read. */
export const unreadIncarnation: WireRule = {
  id: ID,
  says: 'a write by name affects the object that was read, not a later one with the same name',
  judge(reading) {
    const judged = reading.effects.filter(
      ({ request, before, belief }) =>
        VERBS.has(request.verb) && !isApply(request) && before !== undefined && belief?.object !== undefined,
    );
    const findings = judged.flatMap((effect) => {
      if (isConditional(effect.request)) return [];
      const read = effect.belief?.object?.metadata.uid;
      const met = effect.before?.object.metadata.uid;
      if (read === undefined || met === undefined || read === met) return [];
      return [findingOf(ID, effect, textOf(effect, read, met), [effect.before, effect.after])];
    });
    return { reached: judged.length, findings };
  },
};

const textOf = ({ request, key, belief }: Effect, read: string, met: string): string =>
  `${request.verb} of ${key} without preconditions: the client last read the object with uid ${read} (version ${belief?.revision ?? 0}), but the write met its successor with uid ${met}`;
