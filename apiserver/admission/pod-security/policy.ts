import { type FieldErrors, invalidField } from '../../../api/status/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';

/** Level of the Pod Security Standards. */
export type Level = 'privileged' | 'baseline' | 'restricted';
/** `latest`, or the minor version of a Kubernetes release. */
export type Version = 'latest' | number;

/** Level and the release whose checks apply. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: Version;
}

/** Effect of a violation: rejection, audit annotation or warning. */
export type Mode = 'enforce' | 'audit' | 'warn';

/** Level and version for each mode. */
export type Policy = { readonly [M in Mode]: LevelVersion };

/** Levels from lenient to strict. */
const LEVELS: readonly Level[] = ['privileged', 'baseline', 'restricted'];
const MODES: readonly Mode[] = ['enforce', 'audit', 'warn'];

/** Description of the accepted levels; upstream's message. */
export const LEVEL_RULE = `must be one of ${LEVELS.join(', ')}`;
/** Description of the accepted versions; upstream's message. */
export const VERSION_RULE = 'must be "latest" or "v1.x"';

/** Parses a level. Returns undefined for any other text. */
export const parseLevel = (text: string): Level | undefined => LEVELS.find((level) => level === text);

/** Parses a version. Returns undefined for any other text. */
export function parseVersion(text: string): Version | undefined {
  if (text === 'latest') return text;
  const minor = /^v1\.(0|[1-9][0-9]{0,8})$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

const versionText = (version: Version): string => (version === 'latest' ? version : `v1.${version}`);

/** Formats a policy as `restricted:latest` or `baseline:v1.23`. */
export const policyText = ({ level, version }: LevelVersion): string => `${level}:${versionText(version)}`;

/** Formats policies as `enforce=restricted:latest, warn=…`, without privileged modes. */
export const compactText = (policy: Policy): string =>
  MODES.filter((mode) => policy[mode].level !== 'privileged')
    .map((mode) => `${mode}=${policyText(policy[mode])}`)
    .join(', ');

/** True if all given modes are privileged. */
export const isPrivileged = (policy: Policy, modes: readonly Mode[] = MODES): boolean =>
  modes.every((mode) => policy[mode].level === 'privileged');

/** True if `left` is the stricter level. */
export const isStricter = (left: Level, right: Level): boolean =>
  LEVELS.indexOf(left) > LEVELS.indexOf(right);

/** True if level and version are equal. */
export const sameLevelVersion = (left: LevelVersion, right: LevelVersion): boolean =>
  left.level === right.level && left.version === right.version;

/** Policy of a namespace, and the errors of its labels. */
export interface LabelledPolicy {
  readonly policy: Policy;
  readonly errors: FieldErrors;
}

/**
 * Returns the policy from the labels of a namespace, completed with defaults. If a level label of mode
 * `enforce` is invalid, the strictest level is enforced; an invalid label of mode `audit` or `warn` disables
 * that mode. An invalid version label stands for the latest version.
 */
export function policyOf(
  labels: { readonly [key: string]: string } | undefined,
  defaults: Policy,
  vocabulary: Vocabulary,
): LabelledPolicy {
  if (labels === undefined) return { policy: defaults, errors: [] };
  const errors: FieldErrors[number][] = [];
  const read = (mode: Mode): LevelVersion => {
    const { level, version } = defaults[mode];
    const unreadable = mode === 'enforce' ? 'restricted' : 'privileged';
    return {
      level: parsed(mode, parseLevel, LEVEL_RULE, level, unreadable),
      version: parsed(`${mode}-version`, parseVersion, VERSION_RULE, version, 'latest'),
    };
  };
  function parsed<T>(
    name: string,
    parse: (text: string) => T | undefined,
    rule: string,
    unset: T,
    unreadable: T,
  ): T {
    const label = vocabulary.key('pod-security', name);
    const text = labels !== undefined && Object.hasOwn(labels, label) ? labels[label] : undefined;
    if (text === undefined) return unset;
    const found = parse(text);
    if (found === undefined) errors.push(invalidField(`metadata.labels[${label}]`, text, rule));
    return found ?? unreadable;
  }
  const policy: Policy = { enforce: read('enforce'), audit: read('audit'), warn: read('warn') };
  return { policy, errors };
}
