import type { Metrics } from '../../../base/metrics/index.ts';
import type { Operation } from '../../request.ts';

/**
 * Outcome of a webhook call, as counted in upstream's metrics
 * (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#monitoring-admission-webhooks).
 */
export interface Ending {
  readonly hook: string;
  readonly operation: Operation;
  readonly seconds: number;
  /** Cause of the rejection; undefined if the request was not rejected. */
  readonly rejection?: {
    readonly by: 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';
    /** HTTP status code; 0 if there is none. */
    readonly code: number;
  };
}

/** Metrics of one type of webhook. */
export interface WebhookMetrics {
  ended(ending: Ending): void;
  /** Counts a failed call that the failure policy ignores. */
  failedOpen(hook: string): void;
}

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
/**
 * Maximum value of the code label, to bound the number of label values. Higher codes are counted under this
 * value.
 */
const MAX_CODE = 600;
const ALLOWED_CODE = 200;

/** Function that returns the metrics of one type of webhook, named as in the metric labels. */
export type MetricsOf = (type: 'admit' | 'validating') => WebhookMetrics;

/** Creates the metrics. Called once per server. */
export function createWebhookMetrics(metrics: Metrics): MetricsOf {
  const duration = metrics.histogram(
    'apiserver_admission_webhook_admission_duration_seconds',
    'Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
    ['name', 'type', 'operation', 'rejected'],
    SECONDS,
    { stability: 'STABLE' },
  );
  const rejections = metrics.counter(
    'apiserver_admission_webhook_rejection_count',
    'Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    ['name', 'type', 'operation', 'error_type', 'rejection_code'],
  );
  const requests = metrics.counter(
    'apiserver_admission_webhook_request_total',
    'Admission webhook request total, identified by name and broken out for each admission type (validating or mutating) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
    ['name', 'type', 'operation', 'code', 'rejected'],
  );
  const failOpens = metrics.counter(
    'apiserver_admission_webhook_fail_open_count',
    'Admission webhook fail open count, identified by name and broken out for each admission type (validating or mutating).',
    ['name', 'type'],
  );
  return (type) => ({
    ended({ hook, operation, seconds, rejection }) {
      const rejected = String(rejection !== undefined);
      const code = String(Math.min(rejection?.code ?? ALLOWED_CODE, MAX_CODE));
      duration.at(hook, type, operation, rejected).observe(seconds);
      requests.at(hook, type, operation, code, rejected).add(1);
      if (rejection) rejections.at(hook, type, operation, rejection.by, code).add(1);
    },
    failedOpen: (hook) => failOpens.at(hook, type).add(1),
  });
}
