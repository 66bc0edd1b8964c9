import { cronJobs, jobs } from '../../api/groups/batch-v1.ts';
import { certificateSigningRequests } from '../../api/groups/certificates-v1.ts';
import {
  configMaps,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  secrets,
  serviceAccounts,
} from '../../api/groups/index.ts';
import type { Kind } from '../../api/kinds/kind.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { bootstrapSignerInvariants } from './bootstrapsigner.ts';
import { clusterRoleAggregationInvariants } from './clusterrole-aggregation.ts';
import { cronJobInvariants } from './cronjob.ts';
import { csrApprovingInvariants, csrReviewInvariants } from './csrapproving.ts';
import { csrCleanerInvariants } from './csrcleaner.ts';
import { csrIssuanceInvariants, csrSigningInvariants } from './csrsigning.ts';
import { garbageCollectorInvariants } from './garbagecollector.ts';
import { genericInvariants } from './generic.ts';
import { type Invariant, resourceOf } from './invariant.ts';
import { jobInvariants } from './job.ts';
import { leaderElectionInvariants } from './leaderelection.ts';
import { legacyTokenCleanerInvariants } from './legacy-service-account-token-cleaner.ts';
import { namespaceInvariants } from './namespace.ts';
import { passInvariants } from './passes.ts';
import { sharedKeyInvariants } from './shared-keys.ts';
import { protectionInvariants } from './protection.ts';
import { resourceQuotaInvariants } from './resourcequota.ts';
import { rootCaCertPublisherInvariants } from './root-ca-cert-publisher.ts';
import { serviceAccountTokenInvariants } from './serviceaccount-token.ts';
import { serviceAccountInvariants } from './serviceaccount.ts';
import { tokenCleanerInvariants } from './tokencleaner.ts';
import { ttlAfterFinishedInvariants } from './ttlafterfinished.ts';

export type { Commit, Invariant, LiveView, InvariantResult } from './invariant.ts';
export { invariant, liveObject, liveObjects, objectOf, resourceOf, verdict } from './invariant.ts';

/**
 * Returns a controller's invariants, limited to commits of these kinds and of the kinds that each names
 * itself.
 */
const about = (kinds: readonly Kind<never>[], invariants: readonly Invariant[]): readonly Invariant[] =>
  invariants.map((each) => ({ ...each, resources: [...kinds.map(resourceOf), ...(each.resources ?? [])] }));

/**
 * Returns all invariants, generic and by controller.
 *
 * `resources` are the served ones in the format of `resourceOf`, in which garbage and namespace content are
 * searched. `quotasCountedMs` is the recount interval of quotas; by default that of `resourceQuotaInvariants`.
 */
export const allInvariants = (
  vocabulary: Vocabulary,
  resources: { readonly namespaced: readonly string[]; readonly cluster: readonly string[] },
  quotasCountedMs?: number,
): readonly Invariant[] => [
  ...genericInvariants,
  ...passInvariants,
  ...sharedKeyInvariants,
  ...leaderElectionInvariants(`${vocabulary.short}-controller-manager-`),
  ...bootstrapSignerInvariants(vocabulary),
  ...clusterRoleAggregationInvariants,
  ...about([cronJobs, jobs], cronJobInvariants(vocabulary)),
  ...about([certificateSigningRequests], [...csrApprovingInvariants(vocabulary), ...csrReviewInvariants]),
  ...about([certificateSigningRequests], csrCleanerInvariants),
  ...about(
    [certificateSigningRequests],
    [...csrSigningInvariants(Object.values(vocabulary.signers)), ...csrIssuanceInvariants],
  ),
  ...garbageCollectorInvariants([...resources.namespaced, ...resources.cluster]),
  ...about([jobs, pods], jobInvariants(vocabulary)),
  ...legacyTokenCleanerInvariants(vocabulary),
  ...namespaceInvariants(vocabulary, resources.namespaced),
  ...about([persistentVolumes, persistentVolumeClaims], protectionInvariants(vocabulary)),
  ...resourceQuotaInvariants(quotasCountedMs),
  ...about([configMaps], rootCaCertPublisherInvariants(vocabulary)),
  ...about([serviceAccounts], serviceAccountInvariants),
  ...about([secrets, serviceAccounts], serviceAccountTokenInvariants(vocabulary)),
  ...about([secrets], tokenCleanerInvariants(vocabulary)),
  ...about([jobs], ttlAfterFinishedInvariants),
];
