import { formatDuration } from '../../api/schema/index.ts';
import { flagOf, recordOf, wholeNumber } from './configuration-value.ts';

/**
 * Validated ImagePolicyWebhook configuration
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#imagepolicywebhook).
 */
export interface ImagePolicyConfiguration {
  /** Path of the kubeconfig file for the review service. */
  readonly kubeConfigFile: string;
  /** Time in milliseconds for which a positive review is cached; 0 disables caching. */
  readonly allowTtlMs: number;
  /** Time in milliseconds for which a negative review is cached; 0 disables caching. */
  readonly denyTtlMs: number;
  /** Delay in milliseconds before the first retry. */
  readonly retryBackoffMs: number;
  /** True if images are allowed while the review service fails. */
  readonly defaultAllow: boolean;
}

/** Unit, bounds and default of a duration. The lower bound is exclusive. */
interface DurationRule {
  readonly unitMs: number;
  readonly aboveMs: number;
  readonly maxMs: number;
  readonly defaultMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const TTL = { unitMs: SECOND_MS, aboveMs: SECOND_MS, maxMs: 30 * MINUTE_MS };
const ALLOW: DurationRule = { ...TTL, defaultMs: 5 * MINUTE_MS };
const DENY: DurationRule = { ...TTL, defaultMs: 30 * SECOND_MS };
const BACKOFF: DurationRule = { unitMs: 1, aboveMs: 1e-6, maxMs: 5 * MINUTE_MS, defaultMs: 500 };

/**
 * Reads a duration. -1 disables it; 0 or a missing value stands for the default. Throws upstream's message,
 * which contains the field name, if the duration is out of bounds.
 */
function durationOf(fields: Readonly<Record<string, unknown>>, name: string, rule: DurationRule): number {
  const value = wholeNumber(fields[name], `imagePolicy.${name}`);
  if (value === -1) return 0;
  if (value === 0) return rule.defaultMs;
  const ms = value * rule.unitMs;
  if (ms > rule.aboveMs && ms <= rule.maxMs) return ms;
  const shown = (each: number): string => formatDuration(BigInt(Math.round(each * 1e6)));
  throw new Error(
    `imagePolicy.${name}: valid value is between ${shown(rule.aboveMs)} and ${shown(rule.maxMs)}, got ${shown(ms)}`,
  );
}

/** Parses the configuration. Throws an error if it is invalid. */
export function parseImagePolicy(configuration: unknown): ImagePolicyConfiguration {
  if (configuration === undefined) throw new Error('no config specified');
  const fields = recordOf(recordOf(configuration, 'the configuration')['imagePolicy'], 'imagePolicy');
  const kubeConfigFile = fields['kubeConfigFile'];
  if (typeof kubeConfigFile !== 'string' || kubeConfigFile === '')
    throw new Error('imagePolicy.kubeConfigFile must be the path of a client configuration file');
  return {
    kubeConfigFile,
    retryBackoffMs: durationOf(fields, 'retryBackoff', BACKOFF),
    allowTtlMs: durationOf(fields, 'allowTTL', ALLOW),
    denyTtlMs: durationOf(fields, 'denyTTL', DENY),
    defaultAllow: flagOf(fields['defaultAllow'], 'imagePolicy.defaultAllow'),
  };
}
