import { aggregatedRoles } from '../../workload/cluster-roles.ts';
import { rareRoleCycle } from '../../workload/one-of-each.ts';
import { clusterRoleAggregationInvariants } from './invariants.ts';
import { circledRolesScenario, clusterRoleAggregationScenario } from './scenarios.ts';
import type { ControllerTwin } from '../twin.ts';

/** Twin of the controller `clusterrole-aggregation`. */
export const clusterRoleAggregationTwin: ControllerTwin = {
  name: 'clusterrole-aggregation',
  invariants: () => clusterRoleAggregationInvariants,
  rights: [{ resource: 'rbac.authorization/clusterroles', fields: ['rules'] }],
  scenario: clusterRoleAggregationScenario,
  scenarios: { circle: circledRolesScenario },
  workload: [aggregatedRoles],
  rareWorkload: [rareRoleCycle],
  formerNumbers: {
    N1: 'no-invented-rule',
    N2: 'only-rules-written',
    N3: 'no-empty-write',
    N4: 'no-lost-rule',
    N5: 'no-rule-kept-by-cycle',
    E1: 'no-missing-rule',
    E2: 'no-revoked-rule',
  },
  mutants: { watched: ['clusterroles'] },
};
