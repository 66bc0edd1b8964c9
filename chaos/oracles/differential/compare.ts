import type { Commit } from '../../invariants/invariant.ts';
import type { FaultName } from '../../world/fault-kinds.ts';
import { createCanon } from './canonical.ts';
import { excuses } from './excuses.ts';
import { groupIntoFamilies } from './families.ts';
import type { DifferenceId } from './rules.ts';
import { type Epoch, type FamilyHistory, differenceOf, divide } from './timeline.ts';

/** A fault with its time in milliseconds since the epoch. */
export interface StruckFault {
  readonly name: FaultName;
  readonly atMs: number;
}

/** A difference that no fault excuses. */
export interface Difference {
  readonly id: DifferenceId;
  readonly broken: string;
}

export interface Comparison {
  readonly differences: readonly Difference[];
  /** Number of comparisons of each rule. */
  readonly compared: Readonly<Record<DifferenceId, number>>;
  /**
   * Number of families that a user changed before the controllers had converged. Their end states may differ.
   */
  readonly raced: number;
}

/** Time in milliseconds for which delayed messages may keep controllers behind without a fault. */
const DELAYS_MS = 15_000;
/** Number of additional writes of one object that a different order of events may cause. */
const SPARE_WRITES = 4;

/** Resources that processes write about themselves, or as events occur. */
const RESTLESS: ReadonlySet<string> = new Set(['coordination/leases', '/events', 'events/events']);
/** Resources whose state depends on all objects in their namespace. */
const OVERALL: ReadonlySet<string> = new Set(['/resourcequotas', '/namespaces']);

/**
 * Compares a run with the same run without faults. Both histories must end in a quiescent world.
 *
 * The objects are compared by family. The changes of users divide a family's history into epochs. An epoch is
 * compared if both runs have the same changes and the family is in the same state at both ends. In both runs
 * the controllers then had the same work, so they must have created and deleted the same objects.
 * @param selecting see `groupIntoFamilies`
 */
export function compareRuns(
  calm: readonly Commit[],
  faulty: readonly Commit[],
  struck: readonly StruckFault[],
  selecting: readonly string[] = [],
): Comparison {
  const compared = { creations: 0, deletions: 0, writes: 0, behind: 0, end: 0 };
  const differences: Difference[] = [];
  let raced = 0;
  const runs = [calm, faulty].map((commits) => {
    const kept = commits.filter(({ resource }) => !RESTLESS.has(resource));
    return [createCanon(kept), kept] as const;
  });
  if (struck.some(({ name }) => excuses[name].all)) return { differences, compared, raced };
  const familyOf = groupIntoFamilies(runs, selecting);
  const [calmFamilies, faultyFamilies] = runs.map(([canon, commits]) => {
    const families = new Map<string, Commit[]>();
    for (const commit of commits) {
      const family = familyOf(canon.nameOf(commit));
      const known = families.get(family);
      if (known === undefined) families.set(family, [commit]);
      else known.push(commit);
    }
    return new Map([...families].map(([name, own]) => [name, divide(own, canon)]));
  });
  const repeats = struck.some(({ name }) => excuses[name].repeats === true);
  const isBehind = behindBy(struck);
  const names = new Set([...(calmFamilies?.keys() ?? []), ...(faultyFamilies?.keys() ?? [])]);
  const unequal: Found[] = [];
  for (const name of names) {
    const [a, b] = [calmFamilies?.get(name) ?? EMPTY, faultyFamilies?.get(name) ?? EMPTY];
    const found = compareFamily(a, b, isBehind, repeats);
    for (const id of found.compared) compared[id]++;
    if (found.isRaced) raced++;
    unequal.push(...found.differences);
  }
  // An object that depends on other families may differ if one of these families may differ.
  const isSure = ({ about }: Found): boolean => raced === 0 || !OVERALL.has(about.split(' ')[0] ?? '');
  differences.push(...unequal.filter(isSure).map(({ id, broken }) => ({ id, broken })));
  return { differences, compared, raced };
}

interface Found extends Difference {
  /** Canonical name of the object. */
  readonly about: string;
}

const EMPTY: FamilyHistory = divide([], createCanon([]));

/** Returns a predicate for times: true if a fault excuses controllers that are behind at that time. */
const behindBy =
  (struck: readonly StruckFault[]) =>
  (atMs: number): boolean =>
    struck.some((fault) => fault.atMs <= atMs && atMs <= fault.atMs + excuses[fault.name].behindMs);

interface FamilyComparison {
  readonly differences: readonly Found[];
  readonly compared: readonly DifferenceId[];
  readonly isRaced: boolean;
}

function compareFamily(
  calm: FamilyHistory,
  faulty: FamilyHistory,
  isBehind: (atMs: number) => boolean,
  repeats: boolean,
): FamilyComparison {
  const differences: Found[] = [];
  const compared: DifferenceId[] = [];
  const inEpoch = (i: number): void => {
    const [a, b] = [calm.epochs[i], faulty.epochs[i]];
    if (a === undefined || b === undefined) return;
    compared.push('creations', 'deletions', 'writes');
    differences.push(...differencesOf(a, b, repeats));
  };
  for (const [i, own] of faulty.stimuli.entries()) {
    const other = calm.stimuli[i];
    if (other?.label !== own.label) return { differences, compared, isRaced: true };
    const found = differenceOf(other.state, own.state);
    if (found !== undefined) {
      const lastMs = Math.max(
        faulty.epochs[i]?.lastMs ?? 0,
        (calm.epochs[i]?.lastMs ?? 0) - other.atMs + own.atMs,
      );
      if (isBehind(own.atMs) || own.atMs - lastMs < DELAYS_MS || isOverdue(found))
        return { differences, compared, isRaced: true };
      compared.push('behind');
      differences.push({
        id: 'behind',
        about: found.name,
        broken: describe(found, `before a user's ${own.label}`),
      });
      return { differences, compared, isRaced: true };
    }
    compared.push('behind');
    inEpoch(i);
  }
  if (calm.stimuli.length > faulty.stimuli.length) return { differences, compared, isRaced: true };
  compared.push('end');
  const found = differenceOf(calm.end, faulty.end);
  if (found !== undefined && isOverdue(found)) return { differences, compared, isRaced: true };
  if (found !== undefined)
    differences.push({ id: 'end', about: found.name, broken: describe(found, 'in the end') });
  else inEpoch(calm.stimuli.length);
  return { differences, compared, isRaced: false };
}

/**
 * True if the object exceeded its own deadline in both runs. What was done before the deadline depends on how
 * long the fault delayed the controllers.
 */
const isOverdue = ({ calm, faulty }: NonNullable<ReturnType<typeof differenceOf>>): boolean =>
  [calm, faulty].every((states) => states.some((state) => state.includes('"reason":"DeadlineExceeded"')));

/** Returns the differences between what controllers did in two epochs that start and end in equal states. */
function differencesOf(calm: Epoch, faulty: Epoch, repeats: boolean): readonly Found[] {
  const found: Found[] = [];
  const compare = (
    id: 'creations' | 'deletions' | 'writes',
    isFine: (a: number, b: number) => boolean,
  ): void => {
    for (const what of new Set([...calm[id].keys(), ...faulty[id].keys()])) {
      const [a, b] = [calm[id].get(what) ?? 0, faulty[id].get(what) ?? 0];
      if (isFine(a, b)) continue;
      found.push({
        id,
        about: what,
        broken: `${what} was ${DONE[id]} ${times(b)}, without faults ${times(a)}`,
      });
    }
  };
  if (!repeats) {
    compare('creations', (a, b) => a === b);
    compare('deletions', (a, b) => a === b);
  }
  compare('writes', (a, b) => b <= 2 * a + SPARE_WRITES);
  return found;
}

const DONE = { creations: 'created', deletions: 'deleted', writes: 'written' };

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

const describe = (
  { name, calm, faulty }: NonNullable<ReturnType<typeof differenceOf>>,
  when: string,
): string => {
  const [a, b] = [calm, faulty].map((states) => states.join(' and ') || 'absent');
  return `${name} is ${excerpt(b, a)} ${when}, without faults ${excerpt(a, b)}`;
};

const EXCERPT = 160;

/** Returns the part of a string around the first character that differs from another string. */
function excerpt(text = '', other = ''): string {
  let at = 0;
  while (at < text.length && text[at] === other[at]) at++;
  const from = Math.max(0, at - EXCERPT / 4);
  const part = text.slice(from, from + EXCERPT);
  return `${from > 0 ? '…' : ''}${part}${from + EXCERPT < text.length ? '…' : ''}`;
}
