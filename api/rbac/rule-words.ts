import type { PolicyRule } from '../types/rbac-v1.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';

/** Rules by the short name of their role. */
export type RulesByRole = Readonly<Record<string, readonly PolicyRule[]>>;

/**
 * Notation for default rules: a list is one string of words, group names omit the vocabulary's suffix, and
 * the core group is written `core`.
 */
export interface RuleWords {
  can(verbs: string, groups: string, resources: string, names?: readonly string[]): PolicyRule;
  /** Allows get, list and watch. */
  read(groups: string, resources: string, names?: readonly string[]): PolicyRule;
  /** Allows create, delete, deletecollection, patch and update. */
  write(groups: string, resources: string, names?: readonly string[]): PolicyRule;
  /** Allows verbs on paths that are not resources. */
  paths(verbs: string, urls: string): PolicyRule;
  /** Rule that allows writing Events, which nearly every component needs. */
  readonly events: PolicyRule;
}

const words = (text: string): string[] => text.split(' ');

/** Returns the notation for the group names of a vocabulary. */
export function ruleWords(v: Vocabulary): RuleWords {
  const groupOf = (word: string): string => (word === 'core' ? '' : word === '*' ? '*' : v.group(word));
  const can: RuleWords['can'] = (verbs, groups, resources, names = []) => ({
    verbs: words(verbs),
    apiGroups: words(groups).map(groupOf),
    resources: words(resources),
    ...(names.length === 0 ? {} : { resourceNames: [...names] }),
  });
  return {
    can,
    read: (groups, resources, names) => can('get list watch', groups, resources, names),
    write: (groups, resources, names) =>
      can('create delete deletecollection patch update', groups, resources, names),
    paths: (verbs, urls) => ({ verbs: words(verbs), nonResourceURLs: words(urls) }),
    events: can('create patch update', 'core events', 'events'),
  };
}
