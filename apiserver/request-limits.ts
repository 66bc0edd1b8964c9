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
import { createTooManyRequests } from './http/too-many-requests.ts';
import type { Registry } from './registry/registry.ts';

/** How many requests a server takes on at a time. */
export interface RequestLimits {
  /** Requests that read; 0 for any number where there are no priorities. */
  readonly maxInFlight: number;
  /** Requests that write. */
  readonly maxMutatingInFlight: number;
  /** Whether the sum of both is divided by priorities, fairly between flows, instead. Needs the kinds of that group. */
  readonly fair: boolean;
}

export interface RequestLimitsOptions {
  readonly limits: RequestLimits;
  readonly registry: Registry;
  readonly environment: Environment;
  readonly vocabulary: Vocabulary;
  readonly metrics: Metrics;
  readonly enabled: Enabled;
  readonly requestTimeoutMs: number;
}

/** The stage that holds requests back, and what lives beside it. */
export interface RequestLimiter extends Lifetime {
  readonly stage: Stage;
  /** As `FlowControl.debug`. */
  readonly debug: FlowControl['debug'];
}

/** Parts of the time for a request that it may spend waiting. */
const WAIT_PARTS = 4;

/** Throws for limits that would let no request through. */
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
    waitLimitMs: requestTimeoutMs / WAIT_PARTS,
    restore: () => ensureFlowControl(writer, registry, vocabulary),
  });
}
