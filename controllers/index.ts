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

/** Settings of the controllers that are not in the API. */
export interface ControllerSettings extends CsrSigningSettings {
  /** Key that signs ServiceAccount tokens. Without it, `serviceaccount-token` cannot run. */
  readonly serviceAccountKey: KeyObject | undefined;
  /**
   * CA (PEM) of the API server's certificate, or '' if it is unknown. Without it, `root-ca-cert-publisher`
   * cannot run and token Secrets have no `ca.crt`. After a change, all keys must be enqueued again.
   */
  readonly rootCa: string;
  /** True if CronJobs honour `spec.timeZone`, which is alpha in release 1.24. Default true. */
  readonly cronJobTimeZone?: boolean;
  /**
   * True to generate a token Secret for every ServiceAccount, as before release 1.24. Default true.
   * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#auto-generated-legacy-serviceaccount-token-clean-up
   */
  readonly generateTokenSecrets?: boolean;
  /**
   * True if `*` in `--controllers` includes the two controllers of bootstrap tokens. Default true. If false,
   * they run only if `--controllers` names them, as upstream.
   */
  readonly bootstrapTokens?: boolean;
  /**
   * Interval at which the garbage collector discovers the served resources, in milliseconds. Default 300,000.
   */
  readonly discoveryMs?: number;
  /** Interval at which the objects of each quota are counted again, in milliseconds. Default 300,000. */
  readonly quotaSyncMs?: number;
  /**
   * Time in milliseconds for which a generated token must be unused before it is marked, and again before it
   * is deleted. Default 365 days.
   */
  readonly legacyTokenPeriodMs?: number;
}

/**
 * Implementations by manifest name. The function returns undefined if a setting that the controller needs has
 * no value. A missing or unknown name does not compile.
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

/**
 * Settings with which every controller can be created but cannot run. For programs that read definitions and
 * machines.
 */
export const specimenSettings: ControllerSettings = {
  signers: new Map<string, Signer>([['specimen', {} as Signer]]),
  serviceAccountKey: createSecretKey(Buffer.alloc(32)),
  rootCa: 'specimen',
};

/** Returns every controller that can run with these settings, in the order of the manifests. */
export const createControllers = (settings: ControllerSettings): readonly ControllerDefinition[] =>
  manifests.flatMap((manifest: ControllerManifest & { readonly name: ControllerName }) => {
    const definition = implementations[manifest.name](settings);
    if (definition === undefined) return [];
    const isOff = manifest.ofBootstrapTokens === true && settings.bootstrapTokens === false;
    return isOff ? { ...definition, offByDefault: true } : definition;
  });
