import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';

/** Rules by the short name of their role. */
export type RulesByRole = Readonly<Record<string, readonly PolicyRule[]>>;

/**
 * How default rules are written down: lists are words in one text, groups come without the vocabulary's suffix and the
 * core group is `core`.
 */
export interface RuleWords {
  can(verbs: string, groups: string, resources: string, names?: readonly string[]): PolicyRule;
  /** get, list, watch. */
  read(groups: string, resources: string, names?: readonly string[]): PolicyRule;
  /** create, delete, deletecollection, patch, update. */
  write(groups: string, resources: string, names?: readonly string[]): PolicyRule;
  /** Paths that are no resources. */
  paths(verbs: string, urls: string): PolicyRule;
  /** Writing events, which nearly every component does. */
  readonly events: PolicyRule;
}

const words = (text: string): string[] => text.split(' ');

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
