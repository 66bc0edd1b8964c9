import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { bootstrapSignerInvariants } from './bootstrapsigner.ts';
import { clusterRoleAggregationInvariants } from './clusterrole-aggregation.ts';
import { cronJobInvariants } from './cronjob.ts';
import { csrApprovingInvariants } from './csrapproving.ts';
import { csrCleanerInvariants } from './csrcleaner.ts';
import { csrSigningInvariants } from './csrsigning.ts';
import { garbageCollectorInvariants } from './garbagecollector.ts';
import { genericInvariants } from './generic.ts';
import type { Invariant } from './invariant.ts';
import { jobInvariants } from './job.ts';
import { leaderElectionInvariants } from './leaderelection.ts';
import { legacyTokenCleanerInvariants } from './legacy-service-account-token-cleaner.ts';
import { namespaceInvariants } from './namespace.ts';
import { passInvariants } from './passes.ts';
import { protectionInvariants } from './protection.ts';
import { resourceQuotaInvariants } from './resourcequota.ts';
import { rootCaCertPublisherInvariants } from './root-ca-cert-publisher.ts';
import { serviceAccountTokenInvariants } from './serviceaccount-token.ts';
import { serviceAccountInvariants } from './serviceaccount.ts';
import { tokenCleanerInvariants } from './tokencleaner.ts';
import { ttlAfterFinishedInvariants } from './ttlafterfinished.ts';

export type { Commit, Invariant, LiveView, Verdict } from './invariant.ts';
export { invariant, liveObject, liveObjects, objectOf, resourceOf, verdict } from './invariant.ts';

/**
 * Every invariant there is: the generic ones, and those of each controller. `resources` are those in the world, as
 * `resourceOf` writes them, namespaced and not: garbage and the content of namespaces are looked for in them.
 */
export const allInvariants = (
  vocabulary: Vocabulary,
  resources: { readonly namespaced: readonly string[]; readonly cluster: readonly string[] },
): readonly Invariant[] => [
  ...genericInvariants,
  ...passInvariants,
  ...leaderElectionInvariants(`${vocabulary.short}-controller-manager-`),
  ...bootstrapSignerInvariants(vocabulary),
  ...clusterRoleAggregationInvariants,
  ...cronJobInvariants,
  ...csrApprovingInvariants(vocabulary),
  ...csrCleanerInvariants,
  ...csrSigningInvariants(Object.values(vocabulary.signers)),
  ...garbageCollectorInvariants([...resources.namespaced, ...resources.cluster]),
  ...jobInvariants(vocabulary),
  ...legacyTokenCleanerInvariants(vocabulary),
  ...namespaceInvariants(vocabulary, resources.namespaced),
  ...protectionInvariants(vocabulary),
  ...resourceQuotaInvariants,
  ...rootCaCertPublisherInvariants(vocabulary),
  ...serviceAccountInvariants,
  ...serviceAccountTokenInvariants(vocabulary),
  ...tokenCleanerInvariants(vocabulary),
  ...ttlAfterFinishedInvariants,
];
