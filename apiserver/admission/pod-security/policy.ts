import { type FieldErrors, invalidField } from '../../../api/status/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';

export type Level = 'privileged' | 'baseline' | 'restricted';
/** `latest`, or the minor number of a release. */
export type Version = 'latest' | number;

export interface LevelVersion {
  readonly level: Level;
  readonly version: Version;
}

export type Mode = 'enforce' | 'audit' | 'warn';

/** What a namespace asks for, mode by mode. */
export type Policy = { readonly [M in Mode]: LevelVersion };

/** From lenient to strict. */
const LEVELS: readonly Level[] = ['privileged', 'baseline', 'restricted'];
const MODES: readonly Mode[] = ['enforce', 'audit', 'warn'];

export const LEVEL_RULE = `must be one of ${LEVELS.join(', ')}`;
export const VERSION_RULE = 'must be "latest" or "v1.x"';

export const parseLevel = (text: string): Level | undefined => LEVELS.find((level) => level === text);

export function parseVersion(text: string): Version | undefined {
  if (text === 'latest') return text;
  const minor = /^v1\.(0|[1-9][0-9]{0,8})$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

const versionText = (version: Version): string => (version === 'latest' ? version : `v1.${version}`);

/** `restricted:latest`, `baseline:v1.23`. */
export const policyText = ({ level, version }: LevelVersion): string => `${level}:${versionText(version)}`;

/** `enforce=restricted:latest, warn=…`, without what is privileged. */
export const compactText = (policy: Policy): string =>
  MODES.filter((mode) => policy[mode].level !== 'privileged')
    .map((mode) => `${mode}=${policyText(policy[mode])}`)
    .join(', ');

export const isPrivileged = (policy: Policy, modes: readonly Mode[] = MODES): boolean =>
  modes.every((mode) => policy[mode].level === 'privileged');

/** Whether `left` is the stricter level. */
export const isStricter = (left: Level, right: Level): boolean =>
  LEVELS.indexOf(left) > LEVELS.indexOf(right);

export const sameLevelVersion = (left: LevelVersion, right: LevelVersion): boolean =>
  left.level === right.level && left.version === right.version;

export interface LabelledPolicy {
  readonly policy: Policy;
  readonly errors: FieldErrors;
}

/**
 * The policy that a namespace's labels ask for, with defaults for what they leave out. There is one always: a level that
 * cannot be read enforces the strictest and audits and warns of nothing, a version that cannot is the latest.
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
