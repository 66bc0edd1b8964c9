import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { BASELINE_CHECKS } from './baseline.ts';
import type { Check, CheckSeries, Subject, VersionedCheck, Violation } from './check.ts';
import { type Level, type LevelVersion, type Version, policyText } from './policy.ts';
import { RESTRICTED_CHECKS } from './restricted.ts';

interface Active extends VersionedCheck {
  readonly id: string;
}

const NONE: readonly Active[] = [];

/** Returns the implementation of each check that applies at a version. */
const activeIn = (all: readonly CheckSeries[], version: Version): readonly Active[] =>
  all.flatMap(({ id, versions }) => {
    const found = versions.findLast(({ since }) => version === 'latest' || since <= version);
    return found === undefined ? NONE : [{ ...found, id }];
  });

/**
 * Returns the checks of a level, baseline checks first. Omits baseline checks that a stricter check replaces.
 */
function checksOf(level: Level, version: Version): readonly Check[] {
  if (level === 'privileged') return [];
  const baseline = activeIn(BASELINE_CHECKS, version);
  if (level === 'baseline') return baseline.map(({ check }) => check);
  const restricted = activeIn(RESTRICTED_CHECKS, version);
  const overridden = new Set(restricted.flatMap(({ overrides = [] }) => overrides));
  return [...baseline.filter(({ id }) => !overridden.has(id)), ...restricted].map(({ check }) => check);
}

const known = new Map<string, readonly Check[]>();
/**
 * Minor version of the newest change of a check. All later versions share one cache entry, so that labels
 * with arbitrary versions cannot grow the cache.
 */
const NEWEST_CHANGE = 23;

function knownChecks({ level, version }: LevelVersion): readonly Check[] {
  const effective = version === 'latest' || version > NEWEST_CHANGE ? NEWEST_CHANGE : version;
  const key = policyText({ level, version: effective });
  const found = known.get(key) ?? checksOf(level, effective);
  known.set(key, found);
  return found;
}

/** Returns all violations of a policy. */
export const violationsOf = (
  policy: LevelVersion,
  subject: Subject,
  vocabulary: Vocabulary,
): readonly Violation[] => knownChecks(policy).flatMap((check) => check(subject, vocabulary) ?? []);

/** Formats violations as `hostPort (container "a" uses hostPort 80), privileged (…)`. */
export const detailText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');

/** Formats violations as `hostPort, privileged`. */
export const reasonText = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(', ');
