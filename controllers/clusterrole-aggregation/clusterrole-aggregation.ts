import { clusterRoles } from '../../api/groups/rbac-v1.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { fromLabelSelector } from '../../api/selectors/index.ts';
import type { ClusterRole, PolicyRule } from '../../api/types/rbac-v1.ts';
import {
  type AggregatedRole,
  type OutdatedRole,
  type UpdateInput,
  aggregate,
  clusterRoleAggregationMachine,
  sameRules,
} from '../../machines/clusterrole-aggregation/index.ts';
import { type ControllerContext, type Effects, watch } from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { clusterRoleAggregationManifest } from './manifest.ts';

/**
 * Index of all roles with an aggregation rule, under one value. All of them are reconciled after any role
 * changes.
 */
const AGGREGATED = 'aggregated';

/**
 * Fills ClusterRoles that have an aggregation rule:
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
 */
export const clusterRoleAggregationController = implement(clusterRoleAggregationManifest, {
  machine: clusterRoleAggregationMachine,
  // An aggregated role may select any role, directly or through other aggregated roles.
  watches({ informers }) {
    const { store } = informers.of(clusterRoles);
    const keys = (): string[] => store.byIndex(AGGREGATED, '').map(({ metadata }) => metadata?.name ?? '');
    return [watch(clusterRoles, { keys })];
  },
  effects: createEffects,
});

type Aggregated = AggregatedRole<DeepReadonly<PolicyRule>>;

/**
 * Parsed roles by cached object. They are cached because each role is tested against every aggregated role,
 * and cached objects never change.
 */
const aggregated = new WeakMap<DeepReadonly<ClusterRole>, Aggregated>();

function toAggregated(role: DeepReadonly<ClusterRole>): Aggregated {
  const known = aggregated.get(role) ?? readRole(role);
  aggregated.set(role, known);
  return known;
}

const readRole = (role: DeepReadonly<ClusterRole>): Aggregated => ({
  name: role.metadata?.name ?? '',
  rules: role.rules ?? [],
  labels: role.metadata?.labels ?? {},
  selects: role.aggregationRule?.clusterRoleSelectors?.map((selector) => {
    const parsed = fromLabelSelector(selector);
    return (labels) => parsed.matches(labels);
  }),
});

function createEffects({ client, informers }: ControllerContext): Effects {
  const informer = informers.of(clusterRoles);
  informer.index(AGGREGATED, ({ aggregationRule }) => (aggregationRule === undefined ? [] : ['']));
  const { store } = informer;
  return {
    observe: async ({ key }: { key: string }): Promise<OutdatedRole | null> => {
      const role = store.get(key);
      const { uid, resourceVersion = '', deletionTimestamp } = role?.metadata ?? {};
      if (!role?.aggregationRule || uid === undefined || deletionTimestamp !== undefined) return null;
      const rules = aggregate(toAggregated(role), store.list().map(toAggregated));
      return sameRules(rules, role.rules ?? []) ? null : { uid, resourceVersion, rules };
    },

    update: async ({ key, uid, resourceVersion, rules }: UpdateInput, signal: AbortSignal): Promise<void> => {
      const role = store.get(key);
      if (role?.metadata?.uid !== uid)
        throw new Error(`clusterrole ${key} has been replaced since it was observed`);
      await client
        .cluster(clusterRoles)
        .update(
          { ...role, metadata: { ...role.metadata, resourceVersion }, rules: rules as PolicyRule[] },
          { signal },
        );
    },
  };
}
