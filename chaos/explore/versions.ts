/**
 * Versions of objects in worlds, written `uid@00` of a new one. They are names: what matters is which are the same and, of
 * one object, which is the newer one. So they are renumbered in each world, the newest to `NEWEST`, the one before it to
 * one less: what somebody still remembers of an object's past gives its present no other name.
 */
const NEWEST = 23;
/** A version as a bit of a whole number, the newest first. */
const MOST = 31;
const bitOf = (version: number): number => MOST - 1 - version;
const NEWEST_BIT = bitOf(NEWEST);

/** Looked for from the beginning of a word alone: words of base64 are long. */
const VERSION = /(?<![\w.:-])([\w.:-]+~\d+)@(\d+)/g;
/** A set of texts, as `memory.ts` writes it. */
const SET = /\{"set":\[("[^"\\]*"(?:,"[^"\\]*")*)\]\}/g;

/** Of two digits each, so that texts stand in the order of their versions. */
const versionOf = (uid: string, number: number): string => `${uid}@${String(number).padStart(2, '0')}`;

export const firstVersion = (uid: string): string => versionOf(uid, 0);

/** The version after `version`: `a~1@02` after `a~1@01`. */
export const successor = (uid: string, version = ''): string =>
  versionOf(uid, Number(version.slice(version.lastIndexOf('@') + 1)) + 1);

/** A text without versions: the same for what differs in them alone. */
export const unversioned = (text: string): string => text.replace(VERSION, '$1');

/** Versions of one object as bits, the newest first. */
export interface Named {
  /** Versions that stand for an object, or are to be compared with one. */
  readonly firm: number;
  /** Members of sets that somebody remembers. */
  readonly loose: number;
}

const NONE: Named = { firm: 0, loose: 0 };

/** What a text names, by uid. */
export function versionsIn(text: string): ReadonlyMap<string, Named> {
  const found = new Map<string, Named>();
  const note = (part: string, as: keyof Named): void => {
    for (const [, uid = '', version = ''] of part.matchAll(VERSION)) {
      const bit = bitOf(Number(version));
      if (bit < 0) throw new Error(`a world names more than ${MOST} versions of ${uid}`);
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

/** Whether what a world names of one object, `named` of it in one part, is written as it is to be. */
export function isNumbered(named: Named, inWorld: number): boolean {
  const known = inWorld >> NEWEST_BIT;
  const isDense = known << NEWEST_BIT === inWorld && (known & (known + 1)) === 0;
  return isDense && (named.loose & ~inWorld) === 0;
}

/**
 * A text with its versions renumbered; `inWorld` gives what the world names of an object by its uid, members of sets aside.
 *
 * Of a set a version is dropped that nothing else names: no store, no cache, no request, nothing on its way or in hand. For
 * versions only grow, nothing will ever show it again, and whether the set has it is asked no more.
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
