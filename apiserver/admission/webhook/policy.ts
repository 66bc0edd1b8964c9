import type { DeepReadonly } from '../../../api/kinds/index.ts';
import { internalError } from '../../../api/status/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import type { Logger } from '../../../base/log/index.ts';
import { maskOfWrite } from '../../registry/confidential/seen-values.ts';
import type { AdmissionRequest } from '../../request.ts';
import { CallFailure, Rejection } from './call.ts';
import type { Webhook } from './hook.ts';
import type { Ending, WebhookMetrics } from './metrics.ts';

/** Clock, logger and metrics for failure policies. */
export interface PolicyOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
}

/** Result of a call, or `failed open` if its failure is ignored. */
export type PolicyOutcome<T> = { readonly value: T } | 'failed open';

/**
 * Function that runs a webhook call, counts its outcome and applies the failure policy. Throws the error
 * response if the request is rejected.
 */
export type UnderPolicy = <T>(
  hook: Webhook,
  request: DeepReadonly<AdmissionRequest>,
  ask: () => Promise<T>,
) => Promise<PolicyOutcome<T>>;

/** Creates the function that applies failure policies. */
export function createUnderPolicy({ clock, log, metrics }: PolicyOptions): UnderPolicy {
  return async (hook, request, ask) => {
    const started = clock.monotonic();
    const ended = (rejection?: Ending['rejection']): void =>
      metrics.ended({
        hook: hook.name,
        operation: request.operation,
        seconds: (clock.monotonic() - started) / 1000,
        ...(rejection && { rejection }),
      });
    try {
      const value = await ask();
      ended();
      return { value };
    } catch (thrown) {
      const isFailure = thrown instanceof CallFailure;
      if (isFailure && hook.failurePolicy === 'Ignore') {
        ended();
        metrics.failedOpen(hook.name);
        // The message may contain the object; the cause always contains it without masking, so the cause is
        // not logged.
        const err = request.kind.confidential === true ? maskOfWrite(request)(thrown.message) : thrown;
        log.warn({ err, webhook: hook.name }, 'webhook call failed and is ignored');
        return 'failed open';
      }
      ended(rejectionOf(thrown));
      throw isFailure ? internalError(thrown.message) : thrown instanceof Rejection ? thrown.error : thrown;
    }
  };
}

function rejectionOf(thrown: unknown): NonNullable<Ending['rejection']> {
  if (thrown instanceof CallFailure) return { by: 'calling_webhook_error', code: thrown.code };
  if (thrown instanceof Rejection) return { by: 'no_error', code: thrown.error.code };
  return { by: 'apiserver_internal_error', code: 0 };
}
