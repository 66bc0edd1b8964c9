import type { Enabled } from '../api/features/features.ts';
import type { Vocabulary } from '../api/vocabulary/index.ts';
import type { Environment } from '../base/environment.ts';
import type { Lifetime } from '../base/lifetime/index.ts';
import type { Metrics } from '../base/metrics/index.ts';
import { createBootstrapWriter } from './bootstrap/bootstrap-writer.ts';
import { FLOW_CONTROL_MANAGER, ensureFlowControl } from './bootstrap/priorities.ts';
import { type FlowControl, createFlowControl } from './flowcontrol/flow-control.ts';
import { createUsage } from './flowcontrol/usage.ts';
import type { Stage } from './http/pipeline.ts';
import { createMaxInFlight } from './http/stages/max-in-flight.ts';
import { createPriorityAndFairness } from './http/stages/priority-and-fairness.ts';
import { createTooManyRequests } from './http/stages/too-many-requests.ts';
import type { Registry } from './registry/registry.ts';

/** Limits on the number of requests that a server handles at a time. */
export interface RequestLimits {
  /** Maximum number of concurrent reads; 0 means no limit, unless `fair` is true. */
  readonly maxInFlight: number;
  /** Maximum number of concurrent writes; 0 means no limit, unless `fair` is true. */
  readonly maxMutatingInFlight: number;
  /**
   * True to divide the sum of both limits by API priority and fairness, which requires the kinds of the
   * flow-control group.
   */
  readonly fair: boolean;
}

/** Dependencies of `createRequestLimiter`. */
export interface RequestLimitsOptions {
  readonly limits: RequestLimits;
  readonly registry: Registry;
  readonly environment: Environment;
  readonly vocabulary: Vocabulary;
  readonly metrics: Metrics;
  readonly enabled: Enabled;
  readonly requestTimeoutMs: number;
}

/** Stage that limits requests, with the lifetime of its flow control. */
export interface RequestLimiter extends Lifetime {
  readonly stage: Stage;
  /** See `FlowControl.debug`. Without flow control, returns undefined for every path. */
  readonly debug: FlowControl['debug'];
}

/** Divisor of the request timeout: a request may wait in a queue for a quarter of it. */
const WAIT_DIVISOR = 4;

/**
 * Creates the stage for the given limits. Throws `RangeError` for fair limits whose sum is 0, with which no
 * request could be served.
 */
export function createRequestLimiter(options: RequestLimitsOptions): RequestLimiter {
  const { limits, metrics } = options;
  const usage = createUsage(metrics, options.environment.clock);
  const tooMany = createTooManyRequests(metrics);
  if (!limits.fair) {
    const { maxInFlight: readOnly, maxMutatingInFlight: mutating } = limits;
    const rest = (): Promise<void> => Promise.resolve();
    return {
      name: 'request limits',
      stage: createMaxInFlight({ limits: { readOnly, mutating }, usage, tooMany }),
      debug: () => undefined,
      start: rest,
      stop: rest,
    };
  }
  const control = createFairness(options);
  return {
    name: 'request limits',
    stage: createPriorityAndFairness({ control, usage, tooMany }),
    debug: (path, query) => control.debug(path, query),
    start: () => control.start(),
    stop: () => control.stop(),
  };
}

function createFairness(options: RequestLimitsOptions): FlowControl {
  const { limits, registry, vocabulary, metrics, enabled, requestTimeoutMs } = options;
  const { maxInFlight, maxMutatingInFlight } = limits;
  if (maxInFlight + maxMutatingInFlight <= 0)
    throw new RangeError(
      `no request could be served: the limits of requests in flight are ${maxInFlight} and ${maxMutatingInFlight}, and must add up to more than 0`,
    );
  const { clock, log } = options.environment;
  const writer = createBootstrapWriter(registry, new AbortController().signal, FLOW_CONTROL_MANAGER);
  return createFlowControl({
    registry,
    vocabulary,
    clock,
    log,
    metrics,
    enabled,
    concurrencyLimit: maxInFlight + maxMutatingInFlight,
    waitLimitMs: requestTimeoutMs / WAIT_DIVISOR,
    restore: () => ensureFlowControl(writer, registry, vocabulary),
  });
}
