import { clusterRoles } from '../../../api/groups/rbac-v1.ts';
import type { ClusterRole } from '../../../api/types/rbac-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { clusterRoleAggregationInvariants } from './invariants.ts';
import { deletes, planted, updates } from '../../explore/actions.ts';
import { NOON } from '../../explore/instants.ts';
import type { Scenario } from '../../explore/scenario.ts';

const takesLabel = updates(
  'the user removes the label of the source',
  clusterRoles,
  '',
  'source',
  ({ metadata }) => (metadata ? { metadata: { ...metadata, labels: {} } } : undefined),
);

/**
 * Returns a workload: aggregated roles, two of which select each other. The source of their rules changes and
 * is deleted.
 */
export function clusterRoleAggregationScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const role = (name: string, labels: Record<string, string>, rest: Partial<ClusterRole>): ClusterRole => ({
    kind: 'ClusterRole',
    apiVersion: vocabulary.apiVersion('rbac.authorization', 'v1'),
    metadata: { name, labels },
    rules: [],
    ...rest,
  });
  const selecting = (label: string): Partial<ClusterRole> => ({
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: 'true' } }] },
  });
  const rule = (verb: string) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] });
  const aggregated = [
    role('a', { 'to-b': 'true' }, selecting('to-a')),
    role('b', { 'to-a': 'true' }, selecting('to-b')),
  ].slice(0, objects);
  return {
    controller: 'clusterrole-aggregation',
    objects: [...aggregated, role('source', { 'to-a': 'true' }, { rules: [rule('get')] })].map((each) =>
      planted(clusterRoles, each),
    ),
    instants: [NOON],
    actions: [
      updates('the user changes the rules of the source', clusterRoles, '', 'source', () => ({
        rules: [rule('list')],
      })),
      takesLabel,
      updates('the user annotates the aggregated role', clusterRoles, '', 'a', ({ metadata }) =>
        metadata ? { metadata: { ...metadata, annotations: { note: 'mine' } } } : undefined,
      ),
      deletes('the user deletes the source', clusterRoles, '', 'source'),
    ],
    invariants: clusterRoleAggregationInvariants,
  };
}

/**
 * Returns a workload: two roles that select each other lose the source of their rules. Then only the cycle
 * could keep the rules.
 */
export const circledRolesScenario = (vocabulary: Vocabulary): Scenario => ({
  ...clusterRoleAggregationScenario(vocabulary, 2),
  actions: [takesLabel],
});
