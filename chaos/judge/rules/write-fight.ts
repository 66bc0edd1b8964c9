import { canonical, contentOf } from '../difference.ts';
import type { Reading } from '../reading.ts';
import type { Finding, WireRule } from '../rule.ts';
import type { WireVersion } from '../wire-history.ts';

const ID = 'write-fight';
/** Number of times that an object returns to its last but one state before this counts as a fight. */
const MOST_RETURNS = 4;

/** Rule: two writers do not repeatedly overwrite each other's state. */
export const writeFight: WireRule = {
  id: ID,
  says: 'an object does not alternate between two states',
  judge(reading) {
    const own = new Set(reading.effects.flatMap(({ after }) => after ?? []));
    const written = [...reading.versions].filter(([, all]) => all.some((each) => own.has(each)));
    return {
      reached: written.length,
      findings: written.flatMap(([key, all]) => fightIn(key, all, own, reading) ?? []),
    };
  },
};

function fightIn(
  key: string,
  versions: readonly WireVersion[],
  own: ReadonlySet<WireVersion>,
  { history }: Reading,
): Finding | undefined {
  const states = versions.map(({ object, deleted }) => (deleted ? '' : canonical(contentOf(object))));
  let returns = 0;
  for (const [i, last] of versions.entries()) {
    const isReturn = i >= 2 && states[i] !== '' && states[i] === states[i - 2] && states[i] !== states[i - 1];
    returns = isReturn ? returns + 1 : 0;
    const fight = versions.slice(Math.max(0, i - MOST_RETURNS - 1), i + 1);
    if (returns < MOST_RETURNS || !fight.some((each) => own.has(each))) continue;
    const isAlone = fight.slice(1).every((each) => own.has(each));
    const first = fight[0]?.seq ?? 0;
    return {
      rule: ID,
      key,
      seq: last.seq,
      atMs: last.atMs,
      text: `${key} alternated between two states ${returns} times, written by ${isAlone ? 'the client alone' : 'the client and another writer'}`,
      evidence: history.versions
        .filter((each) => fight.includes(each) && each.seq >= first)
        .map(({ seq }) => seq),
    };
  }
  return undefined;
}
