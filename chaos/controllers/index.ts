import { bootstrapSignerTwin } from './bootstrapsigner/twin.ts';
import { clusterRoleAggregationTwin } from './clusterrole-aggregation/twin.ts';
import { cronJobTwin } from './cronjob/twin.ts';
import { csrApprovingTwin } from './csrapproving/twin.ts';
import { csrCleanerTwin } from './csrcleaner/twin.ts';
import { csrSigningTwin } from './csrsigning/twin.ts';
import { garbageCollectorTwin } from './garbagecollector/twin.ts';
import { jobTwin } from './job/twin.ts';
import { legacyTokenCleanerTwin } from './legacy-service-account-token-cleaner/twin.ts';
import { namespaceTwin } from './namespace/twin.ts';
import { pvProtectionTwin } from './pv-protection/twin.ts';
import { pvcProtectionTwin } from './pvc-protection/twin.ts';
import { resourceQuotaTwin } from './resourcequota/twin.ts';
import { rootCaCertPublisherTwin } from './root-ca-cert-publisher/twin.ts';
import { serviceAccountTwin } from './serviceaccount/twin.ts';
import { serviceAccountTokenTwin } from './serviceaccount-token/twin.ts';
import { tokenCleanerTwin } from './tokencleaner/twin.ts';
import { ttlTwin } from './ttl/twin.ts';
import { ttlAfterFinishedTwin } from './ttlafterfinished/twin.ts';
import type { ControllerTwin } from './twin.ts';

/** Twins of all manifests, in the same order. */
export const twins: readonly ControllerTwin[] = [
  bootstrapSignerTwin,
  clusterRoleAggregationTwin,
  cronJobTwin,
  csrApprovingTwin,
  csrCleanerTwin,
  csrSigningTwin,
  garbageCollectorTwin,
  jobTwin,
  legacyTokenCleanerTwin,
  namespaceTwin,
  pvProtectionTwin,
  pvcProtectionTwin,
  resourceQuotaTwin,
  rootCaCertPublisherTwin,
  serviceAccountTwin,
  serviceAccountTokenTwin,
  tokenCleanerTwin,
  ttlTwin,
  ttlAfterFinishedTwin,
];

const byName: ReadonlyMap<string, ControllerTwin> = new Map(twins.map((twin) => [twin.name, twin]));

/** Returns the twin of a controller; undefined for a controller of a user's module. */
export const twinOf = (controller: string): ControllerTwin | undefined => byName.get(controller);
