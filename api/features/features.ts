import { type FeatureTable, createFeatureGates } from '../../base/feature-gates/feature-gates.ts';

/**
 * Feature gates of release 1.24 that this server implements, and `ConditionalWrites`, which upstream does not
 * have. A gate is declared only if code checks it. Gates of stage `ga` are always on; they are declared
 * because configurations may name them.
 */
export const features = {
  APIListChunking: { stage: 'beta', since: '1.9' },
  APIPriorityAndFairness: { stage: 'beta', since: '1.20' },
  /** Not a gate of upstream, see docs/decisions/0002-writes-under-conditions.md. */
  ConditionalWrites: { stage: 'alpha', since: '1.24' },
  CronJobTimeZone: { stage: 'alpha', since: '1.24' },
  // Upstream enables this gate by default in release 1.24. It is off here, because the compatibility profile
  // expects a token Secret for each ServiceAccount.
  LegacyServiceAccountTokenNoAutoGeneration: { stage: 'beta', since: '1.24', byDefault: false },
  HPAScaleToZero: { stage: 'alpha', since: '1.16' },
  OpenAPIV3: { stage: 'beta', since: '1.24' },
  RemainingItemCount: { stage: 'beta', since: '1.16' },
  StatefulSetAutoDeletePVC: { stage: 'alpha', since: '1.23' },
  CSRDuration: { stage: 'ga', since: '1.24' },
  DryRun: { stage: 'ga', since: '1.19' },
  IndexedJob: { stage: 'ga', since: '1.24' },
  ServerSideApply: { stage: 'ga', since: '1.22' },
  SuspendJob: { stage: 'ga', since: '1.24' },
  TTLAfterFinished: { stage: 'ga', since: '1.23' },
  WatchBookmark: { stage: 'ga', since: '1.17' },
  CronJobControllerV2: { stage: 'removed', since: '1.24' },
  CustomResourceDefaulting: { stage: 'removed', since: '1.19' },
  SCTPSupport: { stage: 'removed', since: '1.23' },
  TokenRequest: { stage: 'removed', since: '1.22' },
} as const satisfies FeatureTable;

/** Name of a declared feature gate. */
export type FeatureName = keyof typeof features;

/** Returns true if a feature is enabled. */
export type Enabled = (feature: FeatureName) => boolean;

/** Features that are enabled by default, as in release 1.24. */
export const enabledByDefault: Enabled = createFeatureGates(features).enabled;
