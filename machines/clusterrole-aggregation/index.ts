export { type AggregatedRole, aggregate, sameRules } from './aggregate.ts';
export {
  type OutdatedRole,
  type UpdateInput,
  clusterRoleAggregationMachine,
} from './clusterrole-aggregation.ts';
