import type { Action } from '../world/user.ts';
import { ABSENT } from './fields.ts';
import { lifeOf } from './life.ts';
import type { Part } from './parts.ts';
import type { Subject } from './subject.ts';

export const ROLES = 'rbac.authorization/clusterroles';
export const rule = (resource: string) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] });

/** Labels by which aggregated roles select other roles. */
const SELECTED = ['a', 'b'];
const RULES = [[rule('pods')], [rule('nodes')], [rule('secrets')], [rule('pods'), rule('nodes')], []];
const LABEL_VALUES = ['yes', 'yes', ABSENT];

/** Returns a role that aggregated roles select. */
const source = (name: string): Subject => ({
  resource: ROLES,
  namespace: '',
  name,
  fields: {
    rules: RULES,
    ...Object.fromEntries(SELECTED.map((label) => [`metadata.labels.${label}`, LABEL_VALUES])),
  },
});

/** Returns a role that aggregates the roles with the label `selects`. Other roles may select it. */
function union(name: string, selects: string): Subject {
  const selectors = SELECTED.map((label) => [{ matchLabels: { [label]: 'yes' } }]);
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [selects]: 'yes' } }] };
  const others = SELECTED.filter((label) => label !== selects);
  const labels = Object.fromEntries(others.map((label) => [`metadata.labels.${label}`, ['yes', ABSENT]]));
  return {
    resource: ROLES,
    namespace: '',
    name,
    base: { aggregationRule, rules: [] },
    fields: labels,
    edits: { ...labels, 'aggregationRule.clusterRoleSelectors': [...selectors, selectors.flat()] },
    moveCounts: [0, 0, 1],
  };
}

/** Returns actions on aggregated roles in chains and cycles. Labels, selectors and rules change. */
export const aggregatedRoles: Part = (making): readonly Action[] => [
  ...['source-1', 'source-2'].flatMap((name) => lifeOf(making, source(name))),
  // If two roles select each other, revoked rules must not survive in the cycle.
  ...lifeOf(making, union('union-1', 'a')),
  ...lifeOf(making, union('union-2', 'b')),
];
