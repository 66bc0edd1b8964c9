import { type FeatureTable, createFeatureGates } from '../../base/feature-gates/feature-gates.ts';

/**
 * The features of release 1.24 that this system has and that can be, or once could be, switched, and one of its own. A gate
 * is declared only where something asks for it; `ga` ones are always on and are declared because configurations name them.
 */
export const features = {
  APIListChunking: { stage: 'beta', since: '1.9' },
  APIPriorityAndFairness: { stage: 'beta', since: '1.20' },
  /** Not upstream's: see docs/decisions/0002-writes-under-conditions.md. */
  ConditionalWrites: { stage: 'alpha', since: '1.24' },
  CronJobTimeZone: { stage: 'alpha', since: '1.24' },
  // On in release 1.24; off here until asked for, since specification 1, section 5.3 has the Secrets created.
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

export type FeatureName = keyof typeof features;

/** Whether a feature is on. */
export type Enabled = (feature: FeatureName) => boolean;

/** As release 1.24 has them when nothing is set. */
export const enabledByDefault: Enabled = createFeatureGates(features).enabled;
