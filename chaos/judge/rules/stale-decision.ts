import { keyOfObject } from '../keys.ts';
import type { Effect, Reading } from '../reading.ts';
import { type WireRule, findingOf } from '../rule.ts';
import type { WireVersion } from '../wire-history.ts';

const ID = 'stale-decision';

/**
 * Rule: a client does not delete, because of a stale or incomplete view, an object that it keeps without
 * faults.
 *
 * The run without faults shows which objects the client keeps. An additional delete counts only if the client
 * recreates the object, or if the object is missing at the end.
 */
export const staleDecision: WireRule = {
  id: ID,
  says: 'nothing is deleted because of an old or failed read that is kept without faults',
  judge(reading, calm) {
    if (calm === undefined) return { reached: 0, findings: [] };
    const expected = countDeletes(calm);
    const kept = new Set(calm.final.map(({ resource, object }) => keyOfObject(resource, object)));
    const seen = new Map<string, number>();
    const deletes = reading.effects.filter(({ request }) => request.verb === 'delete');
    const findings = deletes.flatMap((effect) => {
      const { key } = effect;
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      if (count <= (expected.get(key) ?? 0) || !isWrong(effect, reading, kept)) return [];
      const missed = missedBy(effect, reading);
      const why = missed === undefined ? '' : `; it had not received ${describe(missed)}, stored before`;
      const text = `delete of ${key}, the ${ordinal(count)} one, which does not happen without faults${why}`;
      return [findingOf(ID, effect, text, [missed, effect.after])];
    });
    return { reached: deletes.length, findings };
  },
};

const ordinal = (n: number): string => `${n}${['th', 'st', 'nd', 'rd'][n] ?? 'th'}`;

/** True if the client recreated the object later, or if the object is missing at the end. */
function isWrong({ key, request }: Effect, { effects, final }: Reading, kept: ReadonlySet<string>): boolean {
  const isUndone = effects.some(
    (each) => each.key === key && each.request.verb === 'create' && each.request.seq > request.seq,
  );
  return (
    isUndone ||
    (kept.has(key) && !final.some(({ resource, object }) => keyOfObject(resource, object) === key))
  );
}

function countDeletes({ effects }: Reading): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { request, key } of effects)
    if (request.verb === 'delete') counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/**
 * Returns a version that was stored before a write and that the sender had not received; undefined if there
 * is none.
 */
function missedBy({ request }: Effect, { versions, beliefs, requests }: Reading): WireVersion | undefined {
  const read = new Set(
    requests
      .filter(
        ({ run, seq, verb }) =>
          run === request.run && seq < request.seq && ['list', 'watch', 'get'].includes(verb),
      )
      .map(({ resource }) => resource),
  );
  for (const [key, all] of versions) {
    const newest = all.findLast(({ seq }) => seq < request.seq);
    if (newest === undefined || !read.has(newest.resource)) continue;
    // The client's selectors exclude an object that it never receives.
    if (beliefs.before(key, Infinity).length === 0) continue;
    const belief = beliefs.of(request.run, key, request.seq);
    if (newest.deleted ? belief?.object !== undefined : isOlder(belief?.revision, newest)) return newest;
  }
  return undefined;
}

const isOlder = (revision = -1, { revision: newest }: WireVersion): boolean => revision < newest;

const describe = ({ resource, object, revision, deleted }: WireVersion): string =>
  `${deleted ? 'the removal' : `version ${revision}`} of ${resource} ${object.metadata.name ?? ''}`;
