import type { AnyKind, DeepReadonly } from '../../api/kinds/index.ts';
import { ApiError } from '../../api/status/index.ts';
import type { Event as CoreEvent } from '../../api/types/core-v1.ts';
import type { Event } from '../../api/types/events-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { boundedKey, createLruMap } from '../../base/cache/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../request.ts';
import { type EventLimit, type EventLimitType, parseEventLimits } from './event-rate-limit-configuration.ts';

const isEvents = ({ group, plural }: Pick<AnyKind, 'group' | 'plural'>): boolean =>
  plural === 'events' && (group === '' || group === 'events');

/**
 * Fields that identify the source and object of an event. The groups `''` and `events` have different names
 * for them.
 */
type Named = DeepReadonly<
  Partial<Pick<CoreEvent, 'source' | 'involvedObject'> & Pick<Event, 'deprecatedSource' | 'regarding'>>
>;

function sourceAndObject(event: Named | undefined): string {
  const source = event?.source ?? event?.deprecatedSource;
  const about = event?.involvedObject ?? event?.regarding;
  return [
    source?.component,
    source?.host,
    about?.kind,
    about?.namespace,
    about?.name,
    about?.uid,
    about?.apiVersion,
  ].join('');
}

const KEYS: { readonly [T in EventLimitType]: (request: DeepReadonly<AdmissionRequest>) => string } = {
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.username,
  SourceAndObject: ({ object }) => sourceAndObject(object as Named | undefined),
};

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** Function that takes a token from the bucket of a key. Returns false if the bucket is empty. */
type Limiter = (key: string) => boolean;

function createLimiter({ type, qps, burst, cacheSize }: EventLimit, clock: Clock): Limiter {
  const buckets = createLruMap<Bucket>(type === 'Server' ? 1 : cacheSize);
  return (name) => {
    const key = boundedKey(name);
    const nowMs = clock.monotonic();
    const bucket = buckets.get(key) ?? { tokens: burst, filledAtMs: nowMs };
    buckets.set(key, bucket);
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.filledAtMs) * qps) / 1000);
    bucket.filledAtMs = nowMs;
    // Tolerance for rounding errors: the time of exactly one token may refill only 0.9999999 tokens.
    if (bucket.tokens < 1 - 1e-6) return false;
    bucket.tokens = Math.max(0, bucket.tokens - 1);
    return true;
  };
}

/** Creates the error for a rejected event. It has no `Retry-After`, so that clients drop the event. */
const tooMany = (type: EventLimitType, key: string): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Too many requests: limit reached on type ${type} for key ${key}`,
    reason: 'TooManyRequests',
    code: 429,
  });

/**
 * Creates a plugin that limits the rate of events. Each event takes a token from the buckets of all limits,
 * even if a limit rejects the event.
 */
export function createEventRateLimit(
  { vocabulary, clock }: { readonly vocabulary: Vocabulary; readonly clock: Clock },
  configuration: unknown,
): AdmissionPlugin {
  const limiters = parseEventLimits(configuration, vocabulary).map((limit) => ({
    type: limit.type,
    take: createLimiter(limit, clock),
  }));
  return {
    name: 'EventRateLimit',
    operations: ['CREATE', 'UPDATE'],
    concerns: isEvents,
    async validate(request) {
      if (request.dryRun || !isEvents(request.kind)) return;
      let refused: ApiError | undefined;
      for (const { type, take } of limiters) {
        const key = KEYS[type](request);
        if (!take(key)) refused = tooMany(type, key);
      }
      if (refused !== undefined) throw refused;
    },
  };
}
