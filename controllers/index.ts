import { type KeyObject, createSecretKey } from 'node:crypto';
import type { ControllerDefinition } from '../runtime/index.ts';
import { bootstrapSignerController } from './bootstrapsigner/bootstrapsigner.ts';
import { clusterRoleAggregationController } from './clusterrole-aggregation/clusterrole-aggregation.ts';
import { cronJobController } from './cronjob/cronjob.ts';
import { csrApprovingController } from './csrapproving/csrapproving.ts';
import { csrCleanerController } from './csrcleaner/csrcleaner.ts';
import { type CsrSigningSettings, csrSigningController } from './csrsigning/csrsigning.ts';
import type { Signer } from './csrsigning/signer.ts';
import { garbageCollectorController } from './garbagecollector/garbagecollector.ts';
import { jobController } from './job/job.ts';
import { legacyTokenCleanerController } from './legacy-service-account-token-cleaner/legacy-token-cleaner.ts';
import type { ControllerManifest } from './manifest.ts';
import { type ControllerName, manifests } from './manifests.ts';
import { namespaceController } from './namespace/namespace.ts';
import { pvProtectionController } from './pv-protection/pv-protection.ts';
import { pvcProtectionController } from './pvc-protection/pvc-protection.ts';
import { resourceQuotaController } from './resourcequota/resourcequota.ts';
import { rootCaCertPublisherController } from './root-ca-cert-publisher/root-ca-cert-publisher.ts';
import { serviceAccountController } from './serviceaccount/serviceaccount.ts';
import { serviceAccountTokenController } from './serviceaccount-token/serviceaccount-token.ts';
import { tokenCleanerController } from './tokencleaner/token-cleaner.ts';
import { ttlController } from './ttl/ttl.ts';
import { ttlAfterFinishedController } from './ttlafterfinished/ttlafterfinished.ts';

export type { ControllerManifest } from './manifest.ts';
export { type ControllerName, controllerPermissions, manifests } from './manifests.ts';
export type { Signer } from './csrsigning/signer.ts';

/** Settings of the controllers that the API does not hold. */
export interface ControllerSettings extends CsrSigningSettings {
  /** Signs service-account tokens. Without it `serviceaccount-token` cannot run. */
  readonly serviceAccountKey: KeyObject | undefined;
  /**
   * PEM of the CA that the API server's certificate chains to, '' if it is unknown. `root-ca-cert-publisher` cannot run
   * without it, and token Secrets have no `ca.crt`. All keys must be enqueued again after a change.
   */
  readonly rootCa: string;
  /** True if CronJobs honour `spec.timeZone`, which is alpha in release 1.24. Default true. */
  readonly cronJobTimeZone?: boolean;
  /**
   * True if every service account gets a token Secret, as before release 1.24. Default true.
   * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#auto-generated-legacy-serviceaccount-token-clean-up
   */
  readonly generateTokenSecrets?: boolean;
  /**
   * True if `*` in `--controllers` includes the two controllers of bootstrap tokens. Default true. Otherwise they run only
   * if they are named, as upstream.
   */
  readonly bootstrapTokens?: boolean;
  /** Interval at which the garbage collector discovers the served resources, in milliseconds. Default 300 000. */
  readonly discoveryMs?: number;
  /** Interval at which each quota is counted again, in milliseconds. Default 300 000. */
  readonly quotaSyncMs?: number;
  /**
   * Time for which a generated token must be unused before it is marked, and again before it is deleted, in milliseconds.
   * Default 365 days.
   */
  readonly legacyTokenPeriodMs?: number;
}

/**
 * Implementation of each manifest, undefined if a setting that it needs has no value. A missing or an unknown name
 * does not compile.
 */
const implementations: Readonly<
  Record<ControllerName, (settings: ControllerSettings) => ControllerDefinition | undefined>
> = {
  bootstrapsigner: () => bootstrapSignerController,
  'clusterrole-aggregation': () => clusterRoleAggregationController,
  cronjob: ({ cronJobTimeZone = true }) => cronJobController({ timeZones: cronJobTimeZone }),
  csrapproving: () => csrApprovingController,
  csrcleaner: () => csrCleanerController,
  csrsigning: (settings) => (settings.signers.size === 0 ? undefined : csrSigningController(settings)),
  garbagecollector: ({ discoveryMs }) => garbageCollectorController(discoveryMs),
  job: () => jobController,
  'legacy-service-account-token-cleaner': ({ legacyTokenPeriodMs }) =>
    legacyTokenCleanerController(legacyTokenPeriodMs),
  namespace: () => namespaceController,
  'pv-protection': () => pvProtectionController,
  'pvc-protection': () => pvcProtectionController,
  resourcequota: ({ quotaSyncMs }) => resourceQuotaController(quotaSyncMs),
  'root-ca-cert-publisher': (settings) =>
    settings.rootCa === '' ? undefined : rootCaCertPublisherController(settings),
  serviceaccount: () => serviceAccountController,
  'serviceaccount-token': (settings) =>
    settings.serviceAccountKey &&
    serviceAccountTokenController({
      privateKey: settings.serviceAccountKey,
      get rootCa() {
        return settings.rootCa;
      },
      generate: settings.generateTokenSecrets ?? true,
    }),
  tokencleaner: () => tokenCleanerController,
  ttl: () => ttlController,
  ttlafterfinished: () => ttlAfterFinishedController,
};

/** Settings with which every controller can be created and none can run, to read definitions and machines. */
export const specimenSettings: ControllerSettings = {
  signers: new Map<string, Signer>([['specimen', {} as Signer]]),
  serviceAccountKey: createSecretKey(Buffer.alloc(32)),
  rootCa: 'specimen',
};

/** Returns every controller of the controller manager that can run, in the order of the manifests. */
export const createControllers = (settings: ControllerSettings): readonly ControllerDefinition[] =>
  manifests.flatMap((manifest: ControllerManifest & { readonly name: ControllerName }) => {
    const definition = implementations[manifest.name](settings);
    if (definition === undefined) return [];
    const isOff = manifest.ofBootstrapTokens === true && settings.bootstrapTokens === false;
    return isOff ? { ...definition, offByDefault: true } : definition;
  });
