import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { BASELINE_CHECKS } from './baseline.ts';
import type { Check, CheckSeries, Subject, VersionedCheck, Violation } from './check.ts';
import { type Level, type LevelVersion, type Version, policyText } from './policy.ts';
import { RESTRICTED_CHECKS } from './restricted.ts';

interface Active extends VersionedCheck {
  readonly id: string;
}

const NEVER_YET: readonly Active[] = [];

/** Each series' check as it was in a release. */
const activeIn = (all: readonly CheckSeries[], version: Version): readonly Active[] =>
  all.flatMap(({ id, versions }) => {
    const found = versions.findLast(({ since }) => version === 'latest' || since <= version);
    return found === undefined ? NEVER_YET : [{ ...found, id }];
  });

/** The checks of a level: the baseline first, without what a stricter check makes superfluous. */
function checksOf(level: Level, version: Version): readonly Check[] {
  if (level === 'privileged') return [];
  const baseline = activeIn(BASELINE_CHECKS, version);
  if (level === 'baseline') return baseline.map(({ check }) => check);
  const restricted = activeIn(RESTRICTED_CHECKS, version);
  const overridden = new Set(restricted.flatMap(({ overrides = [] }) => overrides));
  return [...baseline.filter(({ id }) => !overridden.has(id)), ...restricted].map(({ check }) => check);
}

const known = new Map<string, readonly Check[]>();
/** Labels name versions at will; those that are no different from one that is known need no entry of their own. */
const NEWEST_CHANGE = 23;

function knownChecks({ level, version }: LevelVersion): readonly Check[] {
  const effective = version === 'latest' || version > NEWEST_CHANGE ? NEWEST_CHANGE : version;
  const key = policyText({ level, version: effective });
  const found = known.get(key) ?? checksOf(level, effective);
  known.set(key, found);
  return found;
}

/** Everything that a pod does and its policy forbids. Pure. */
export const violationsOf = (
  policy: LevelVersion,
  subject: Subject,
  vocabulary: Vocabulary,
): readonly Violation[] => knownChecks(policy).flatMap((check) => check(subject, vocabulary) ?? []);

/** `hostPort (container "a" uses hostPort 80), privileged (…)`. */
export const detailText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');

/** `hostPort, privileged`. */
export const reasonText = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(', ');
