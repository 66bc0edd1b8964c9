import type { PermissionsOf } from '../api/rbac/index.ts';
import { bootstrapSignerManifest } from './bootstrapsigner/manifest.ts';
import { clusterRoleAggregationManifest } from './clusterrole-aggregation/manifest.ts';
import { cronJobManifest } from './cronjob/manifest.ts';
import { csrApprovingManifest } from './csrapproving/manifest.ts';
import { csrCleanerManifest } from './csrcleaner/manifest.ts';
import { csrSigningManifest } from './csrsigning/manifest.ts';
import { garbageCollectorManifest } from './garbagecollector/manifest.ts';
import { jobManifest } from './job/manifest.ts';
import { legacyTokenCleanerManifest } from './legacy-service-account-token-cleaner/manifest.ts';
import type { ControllerManifest } from './manifest.ts';
import { namespaceManifest } from './namespace/manifest.ts';
import { pvProtectionManifest } from './pv-protection/manifest.ts';
import { pvcProtectionManifest } from './pvc-protection/manifest.ts';
import { resourceQuotaManifest } from './resourcequota/manifest.ts';
import { rootCaCertPublisherManifest } from './root-ca-cert-publisher/manifest.ts';
import { serviceAccountManifest } from './serviceaccount/manifest.ts';
import { serviceAccountTokenManifest } from './serviceaccount-token/manifest.ts';
import { tokenCleanerManifest } from './tokencleaner/manifest.ts';
import { ttlManifest } from './ttl/manifest.ts';
import { ttlAfterFinishedManifest } from './ttlafterfinished/manifest.ts';

/** Manifests of all controllers, ordered by name. `index.ts` contains the implementations. */
export const manifests = [
  bootstrapSignerManifest,
  clusterRoleAggregationManifest,
  cronJobManifest,
  csrApprovingManifest,
  csrCleanerManifest,
  csrSigningManifest,
  garbageCollectorManifest,
  jobManifest,
  legacyTokenCleanerManifest,
  namespaceManifest,
  pvProtectionManifest,
  pvcProtectionManifest,
  resourceQuotaManifest,
  rootCaCertPublisherManifest,
  serviceAccountManifest,
  serviceAccountTokenManifest,
  tokenCleanerManifest,
  ttlManifest,
  ttlAfterFinishedManifest,
] as const;

/** Name of a controller of this project. */
export type ControllerName = (typeof manifests)[number]['name'];

/** Default permissions of all controllers, for the API server of a cluster that runs them. */
export const controllerPermissions: readonly PermissionsOf[] = manifests.flatMap(
  ({ permissions }: ControllerManifest) => (permissions === undefined ? [] : [permissions]),
);
