import { type FieldErrors, child, index, invalidField, notSupportedField } from '../../api/status/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { recordOf, wholeNumber } from './configuration-value.ts';
import { aggregated } from './refusal.ts';

/** Whose events share a bucket: everybody's, a namespace's, a user's, or those of one source about one object. */
export type EventLimitType = 'Server' | 'Namespace' | 'User' | 'SourceAndObject';

const TYPES: readonly EventLimitType[] = ['Namespace', 'Server', 'SourceAndObject', 'User'];

export interface EventLimit {
  readonly type: EventLimitType;
  /** Events a second in the long run; positive. */
  readonly qps: number;
  /** Events at once; positive. */
  readonly burst: number;
  /** Buckets kept, those used last; `Server` has one alone. */
  readonly cacheSize: number;
}

const CACHE_SIZE = 4_096;

/**
 * The limits of an `EventRateLimit` configuration (specification 1, section 5.11). Throws what is wrong with it, in
 * upstream's words; without a configuration there is no limit, which is wrong, too.
 */
export function parseEventLimits(configuration: unknown, vocabulary: Vocabulary): readonly EventLimit[] {
  const fields = configuration === undefined ? {} : recordOf(configuration, 'the configuration');
  if (configuration !== undefined) checkType(fields, vocabulary);
  const given = fields['limits'] ?? [];
  if (!Array.isArray(given)) throw new Error('limits must be a list');
  const parsed = given.map((each: unknown, at) => limitOf(each, index('limits', at)));
  const errors = [
    ...(parsed.length === 0 ? [invalidField('limits', given, 'must not be empty')] : []),
    ...parsed.flatMap(([, problems]) => problems),
  ];
  if (errors.length > 0)
    throw new Error(aggregated(errors.map(({ field, message }) => `${field}: ${message}`)));
  return parsed.map(([limit]) => limit);
}

function checkType(fields: Readonly<Record<string, unknown>>, vocabulary: Vocabulary): void {
  const apiVersion = vocabulary.apiVersion('eventratelimit.admission', 'v1alpha1');
  if (fields['kind'] === 'Configuration' && fields['apiVersion'] === apiVersion) return;
  throw new Error(
    `received ${JSON.stringify(fields['kind'])} of ${JSON.stringify(fields['apiVersion'])}: expected Configuration of ${apiVersion}`,
  );
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
