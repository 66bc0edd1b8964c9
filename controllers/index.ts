import type { ControllerDefinition } from '../runtime/index.ts';
import { bootstrapSigner } from './bootstrapsigner/bootstrapsigner.ts';
import { clusterRoleAggregation } from './clusterrole-aggregation/clusterrole-aggregation.ts';
import { cronJobController } from './cronjob/cronjob.ts';
import { csrApproving } from './csrapproving/csrapproving.ts';
import { csrCleaner } from './csrcleaner/csrcleaner.ts';
import { type CsrSigningSettings, csrSigning } from './csrsigning/csrsigning.ts';
import { garbageCollector } from './garbagecollector/garbagecollector.ts';
import { jobController } from './job/job.ts';
import { legacyTokenCleaner } from './legacy-service-account-token-cleaner/legacy-token-cleaner.ts';
import { namespace } from './namespace/namespace.ts';
import { pvProtection } from './pv-protection/pv-protection.ts';
import { pvcProtection } from './pvc-protection/pvc-protection.ts';
import { resourceQuota } from './resourcequota/resourcequota.ts';
import { rootCaCertPublisher } from './root-ca-cert-publisher/root-ca-cert-publisher.ts';
import { serviceAccount } from './serviceaccount/serviceaccount.ts';
import { serviceAccountToken } from './serviceaccount-token/serviceaccount-token.ts';
import { tokenCleaner } from './tokencleaner/token-cleaner.ts';
import { ttlAfterFinished } from './ttlafterfinished/ttlafterfinished.ts';
import type { KeyObject } from 'node:crypto';

export type { Signer } from './csrsigning/signer.ts';

/** What the controllers of a cluster need to know from outside the API. */
export interface ControllerSettings extends CsrSigningSettings {
  /** Signs service-account tokens. */
  readonly serviceAccountKey: KeyObject;
  /** PEM of the CA that the API server's certificate chains to. Where it changes, all keys are to be enqueued again. */
  readonly rootCa: string;
  /** Whether CronJobs run by `spec.timeZone`, an alpha feature; default true. */
  readonly cronJobTimeZone?: boolean;
  /** Whether every service account gets a token Secret (specification 1, section 5.3); default true. */
  readonly generateTokenSecrets?: boolean;
  /**
   * Whether `*` stands for the two controllers of bootstrap tokens too; default true. Otherwise they run where they are
   * named (specification 1, section 5.2).
   */
  readonly bootstrapTokens?: boolean;
  /** How often the garbage collector asks which resources there are, milliseconds; default five minutes. */
  readonly discoveryMs?: number;
  /** How often each quota is counted anew, milliseconds; default five minutes. */
  readonly quotaSyncMs?: number;
  /** How long a generated token must be unused before it is marked, and again before it is deleted; default a year. */
  readonly legacyTokenPeriodMs?: number;
}

/** Every controller of the controller manager, in the order of their names. */
export const createControllers = (settings: ControllerSettings): readonly ControllerDefinition[] => [
  ofBootstrapTokens(bootstrapSigner, settings),
  clusterRoleAggregation,
  cronJobController({ timeZones: settings.cronJobTimeZone ?? true }),
  csrApproving,
  csrCleaner,
  csrSigning(settings),
  garbageCollector(settings.discoveryMs),
  jobController,
  legacyTokenCleaner(settings.legacyTokenPeriodMs),
  namespace,
  pvProtection,
  pvcProtection,
  resourceQuota(settings.quotaSyncMs),
  rootCaCertPublisher(settings),
  serviceAccount,
  serviceAccountToken({
    privateKey: settings.serviceAccountKey,
    get rootCa() {
      return settings.rootCa;
    },
    generate: settings.generateTokenSecrets ?? true,
  }),
  ofBootstrapTokens(tokenCleaner, settings),
  ttlAfterFinished,
];

const ofBootstrapTokens = (
  definition: ControllerDefinition,
  { bootstrapTokens = true }: ControllerSettings,
): ControllerDefinition => (bootstrapTokens ? definition : { ...definition, offByDefault: true });
