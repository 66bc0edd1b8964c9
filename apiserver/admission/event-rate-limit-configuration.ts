import { type FieldErrors, child, index, invalidField, notSupportedField } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { checkConfigurationType, recordOf, wholeNumber } from './configuration-value.ts';
import { aggregateMessages } from '../aggregate-messages.ts';

/**
 * Scope of a token bucket: all events, the events of one namespace, of one user, or of one source about one
 * object.
 */
export type EventLimitType = 'Server' | 'Namespace' | 'User' | 'SourceAndObject';

const TYPES: readonly EventLimitType[] = ['Namespace', 'Server', 'SourceAndObject', 'User'];

/** One rate limit of the configuration. */
export interface EventLimit {
  readonly type: EventLimitType;
  /** Maximum sustained rate in events per second; positive. */
  readonly qps: number;
  /** Maximum number of events in a burst; positive. */
  readonly burst: number;
  /**
   * Maximum number of buckets; the least recently used bucket is evicted. The type `Server` has a single
   * bucket.
   */
  readonly cacheSize: number;
}

const CACHE_SIZE = 4_096;

/**
 * Parses the limits of an EventRateLimit configuration
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#eventratelimit). Throws
 * upstream's message if the configuration is invalid or missing.
 */
export function parseEventLimits(configuration: unknown, vocabulary: Vocabulary): readonly EventLimit[] {
  const fields = configuration === undefined ? {} : recordOf(configuration, 'the configuration');
  const apiVersion = vocabulary.apiVersion('eventratelimit.admission', 'v1alpha1');
  if (configuration !== undefined) checkConfigurationType(fields, 'Configuration', [apiVersion]);
  const given = fields['limits'] ?? [];
  if (!Array.isArray(given)) throw new Error('limits must be a list');
  const parsed = given.map((each: unknown, at) => limitOf(each, index('limits', at)));
  const errors = [
    ...(parsed.length === 0 ? [invalidField('limits', given, 'must not be empty')] : []),
    ...parsed.flatMap(([, problems]) => problems),
  ];
  if (errors.length > 0)
    throw new Error(aggregateMessages(errors.map(({ field, message }) => `${field}: ${message}`)));
  return parsed.map(([limit]) => limit);
}

function limitOf(value: unknown, path: string): readonly [EventLimit, FieldErrors] {
  const fields = recordOf(value, path);
  const number = (name: string): number => wholeNumber(fields[name], child(path, name));
  const type = fields['type'] ?? '';
  const isKnown = TYPES.includes(type as EventLimitType);
  const limit = { type: type as EventLimitType, qps: number('qps'), burst: number('burst') };
  const cacheSize = number('cacheSize');
  const errors = [
    ...(isKnown ? [] : [notSupportedField(child(path, 'type'), type, TYPES)]),
    ...(limit.burst > 0 ? [] : [invalidField(child(path, 'burst'), limit.burst, 'must be positive')]),
    ...(limit.qps > 0 ? [] : [invalidField(child(path, 'qps'), limit.qps, 'must be positive')]),
    ...(limit.type === 'Server' || cacheSize >= 0
      ? []
      : [invalidField(child(path, 'cacheSize'), cacheSize, 'must not be negative')]),
  ];
  return [{ ...limit, cacheSize: cacheSize === 0 ? CACHE_SIZE : cacheSize }, errors];
}
