import { type FieldError, duplicateField, invalidField, requiredField } from '../../../api/status/index.ts';
import { type NameCheck, isDns1123Label, isDns1123Subdomain } from '../../../api/validation/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { checkConfigurationType, closedRecordOf, listOf, textOf } from '../configuration-value.ts';
import { aggregateMessages } from '../../aggregate-messages.ts';
import {
  type LevelVersion,
  LEVEL_RULE,
  type Mode,
  type Policy,
  VERSION_RULE,
  parseLevel,
  parseVersion,
} from './policy.ts';

/** Validated PodSecurityConfiguration. */
export interface PodSecurityConfiguration {
  /** Policy of namespaces without labels. */
  readonly defaults: Policy;
  /** Users, namespaces and runtime classes that are exempt from all policies. */
  readonly exemptions: {
    readonly usernames: ReadonlySet<string>;
    readonly namespaces: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

const VERSIONS = ['v1beta1', 'v1alpha1'];
const MODES: readonly Mode[] = ['enforce', 'audit', 'warn'];
const EXEMPTIONS = ['usernames', 'namespaces', 'runtimeClasses'] as const;

/**
 * Parses a PodSecurityConfiguration
 * (https://kubernetes.io/docs/tasks/configure-pod-container/enforce-standards-admission-controller/). Without
 * a configuration, the defaults are privileged and there are no exemptions. Throws upstream's message for
 * invalid values.
 */
export function parsePodSecurityConfiguration(
  configuration: unknown,
  vocabulary: Vocabulary,
): PodSecurityConfiguration {
  const group = `pod-security.admission.config.${vocabulary.groupSuffix}`;
  const given = configuration ?? { apiVersion: `${group}/${VERSIONS[0]}`, kind: 'PodSecurityConfiguration' };
  const fields = closedRecordOf(given, 'the configuration', ['apiVersion', 'kind', 'defaults', 'exemptions']);
  checkConfigurationType(
    fields,
    'PodSecurityConfiguration',
    VERSIONS.map((version) => `${group}/${version}`),
  );
  const errors: FieldError[] = [];
  const result = {
    defaults: defaultsIn(fields['defaults'], errors),
    exemptions: exemptionsIn(fields['exemptions'], errors),
  };
  if (errors.length > 0)
    throw new Error(aggregateMessages(errors.map(({ field, message }) => `${field}: ${message}`)));
  return result;
}

function defaultsIn(given: unknown, errors: FieldError[]): Policy {
  const names = MODES.flatMap((mode) => [mode, `${mode}-version`]);
  const fields = closedRecordOf(given ?? {}, 'defaults', names);
  const parsed = <T>(name: string, parse: (text: string) => T | undefined, rule: string, unset: T): T => {
    const text = textOf(fields[name], `defaults.${name}`);
    if (text === '') return unset;
    const found = parse(text);
    if (found === undefined) errors.push(invalidField(`defaults.${name}`, text, rule));
    return found ?? unset;
  };
  const read = (mode: Mode): LevelVersion => ({
    level: parsed(mode, parseLevel, LEVEL_RULE, 'privileged'),
    version: parsed(`${mode}-version`, parseVersion, VERSION_RULE, 'latest'),
  });
  return { enforce: read('enforce'), audit: read('audit'), warn: read('warn') };
}

function exemptionsIn(given: unknown, errors: FieldError[]): PodSecurityConfiguration['exemptions'] {
  const fields = closedRecordOf(given ?? {}, 'exemptions', EXEMPTIONS);
  const set = (name: (typeof EXEMPTIONS)[number], check?: NameCheck): ReadonlySet<string> => {
    const texts = new Set<string>();
    for (const [at, each] of listOf(fields[name], `exemptions.${name}`).entries()) {
      const field = `exemptions.${name}[${at}]`;
      const text = textOf(each, field);
      const problems = check?.(text) ?? [];
      if (problems.length > 0) errors.push(invalidField(field, text, problems.join(', ')));
      else if (text === '') errors.push(requiredField(field));
      else if (texts.has(text)) errors.push(duplicateField(field, text));
      else texts.add(text);
    }
    return texts;
  };
  return {
    namespaces: set('namespaces', isDns1123Label),
    runtimeClasses: set('runtimeClasses', isDns1123Subdomain),
    usernames: set('usernames'),
  };
}
