import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import { fromLabelSelector } from '../../api/selectors/index.ts';
import { objectRule } from '../../runtime/index.ts';

/** Aggregated ClusterRole for which no ClusterRole has a matching label. */
export const aggregationUnmatched = objectRule({
  reason: 'no-matching-role',
  controller: 'clusterrole-aggregation',
  kind: clusterRoles,
  patienceMs: 30_000,
  applies: ({ aggregationRule, metadata }) =>
    aggregationRule !== undefined && metadata?.deletionTimestamp === undefined,
  find({ aggregationRule, metadata }, facts) {
    const selectors = (aggregationRule?.clusterRoleSelectors ?? []).map((each) => fromLabelSelector(each));
    const matched = facts
      .list(clusterRoles)
      ?.some(
        (role) =>
          role.metadata?.name !== metadata?.name &&
          selectors.some((selector) => selector.matches(role.metadata?.labels ?? {})),
      );
    if (matched !== false) return undefined;
    return {
      sentence: `ClusterRole ${metadata?.name ?? ''} grants nothing: no ClusterRole has the labels that its aggregationRule selects.`,
    };
  },
});
