import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { twins } from '../controllers/index.ts';
import type { SearchedResources } from '../controllers/twin.ts';
import { oracleInvariants } from '../oracles/index.ts';
import { runtimeInvariants } from '../oracles/runtime/index.ts';
import { genericInvariants } from './generic.ts';
import type { Invariant } from './invariant.ts';
import { leaderElectionInvariants } from './leaderelection.ts';
import { reconcileInvariants } from './reconciles.ts';
import { sharedKeyInvariants } from './shared-keys.ts';

export type { Commit, Invariant, LiveView, InvariantResult } from './invariant.ts';
export { invariant, liveObject, liveObjects, objectOf, resourceOf, verdict } from './invariant.ts';

/**
 * Returns the generic invariants and those of all controllers. @param quotasCountedMs recount interval of
 * quotas in milliseconds; default that of `resourceQuotaInvariants`
 */
export const allInvariants = (
  vocabulary: Vocabulary,
  resources: SearchedResources,
  quotasCountedMs?: number,
): readonly Invariant[] => [
  ...genericInvariants,
  ...reconcileInvariants,
  ...sharedKeyInvariants,
  ...runtimeInvariants,
  ...oracleInvariants(vocabulary, resources),
  ...leaderElectionInvariants(`${vocabulary.short}-controller-manager-`),
  ...twins.flatMap(({ invariants }) => invariants({ vocabulary, resources, quotasCountedMs })),
];
