/**
 * The number of an object's newest version in every world.
 *
 * A version is a name such as `uid@00`; only identity and order matter. Each world numbers the versions of an
 * object downwards from `NEWEST`. An old version in memory therefore does not change the name of the current
 * one.
 */
const NEWEST = 23;
/**
 * Maximum number of versions in one integer, which has a bit for each. The lowest bit is the newest version.
 */
const MOST = 31;
const bitOf = (version: number): number => MOST - 1 - version;
const NEWEST_BIT = bitOf(NEWEST);

/** Pattern of a version. It matches at word starts only, because scanning long base64 words is slow. */
const VERSION = /(?<![\w.:-])([\w.:-]+~\d+)@(\d+)/g;
/** Pattern of a set of strings in the format of `memory.ts`. */
const SET = /\{"set":\[("[^"\\]*"(?:,"[^"\\]*")*)\]\}/g;

/** Returns a version with at least two digits, so that string order equals version order. */
const versionOf = (uid: string, number: number): string => `${uid}@${String(number).padStart(2, '0')}`;

export const firstVersion = (uid: string): string => versionOf(uid, 0);

/** Returns the version after `version`: `a~1@02` after `a~1@01`. */
export const successor = (uid: string, version = ''): string =>
  versionOf(uid, Number(version.slice(version.lastIndexOf('@') + 1)) + 1);

/** Removes version numbers, so that strings that differ only in versions become equal. */
export const unversioned = (text: string): string => text.replace(VERSION, '$1');

/** Versions of one object as bits; the lowest bit is the newest version. */
export interface Named {
  /** Versions that an object, a request or a comparison names. */
  readonly firm: number;
  /** Versions that occur only as members of sets in memory. */
  readonly loose: number;
}

const NONE: Named = { firm: 0, loose: 0 };

/** Returns the versions that a string names, by uid. */
export function versionsIn(text: string): ReadonlyMap<string, Named> {
  const found = new Map<string, Named>();
  const note = (part: string, as: keyof Named): void => {
    for (const [, uid = '', version = ''] of part.matchAll(VERSION)) {
      const bit = bitOf(Number(version));
      if (bit < 0) throw new Error(`a world contains more than ${MOST} versions of ${uid}`);
      const named = found.get(uid) ?? NONE;
      found.set(uid, { ...named, [as]: named[as] | (1 << bit) });
    }
  };
  const rest = text.replace(SET, (_, members: string) => {
    note(members, 'loose');
    return '';
  });
  note(rest, 'firm');
  return found;
}

/** True if the versions `named` in one part of a world have their final numbers. */
export function isNumbered(named: Named, inWorld: number): boolean {
  const known = inWorld >> NEWEST_BIT;
  const isDense = known << NEWEST_BIT === inWorld && (known & (known + 1)) === 0;
  return isDense && (named.loose & ~inWorld) === 0;
}

/**
 * Renumbers the versions in a string. A set member that nothing else names is dropped: versions only grow, so
 * no later event contains it, and no code will test for it.
 * @param inWorld returns the versions of an object that the world names outside sets
 */
export function renumbered(text: string, inWorld: (uid: string) => number): string {
  const isNamed = (uid: string, version: string): boolean =>
    (inWorld(uid) & (1 << bitOf(Number(version)))) !== 0;
  const kept = text.replace(SET, (_, members: string) => {
    const left = members.split(',').filter((member) => {
      const [version] = member.matchAll(VERSION);
      return !version || isNamed(version[1] ?? '', version[2] ?? '');
    });
    return `{"set":[${left.join()}]}`;
  });
  return kept.replace(VERSION, (_, uid: string, version: string) =>
    versionOf(uid, numberOf(Number(version), inWorld(uid))),
  );
}

function numberOf(version: number, inWorld: number): number {
  let number = NEWEST;
  for (let newer = inWorld & ((1 << bitOf(version)) - 1); newer !== 0; newer &= newer - 1) number -= 1;
  return number;
}
