import { internalError } from '../../../api/status/api-error.ts';
import type { Clock } from '../../../base/clock/clock.ts';
import type { Logger } from '../../../base/log/logger.ts';
import type { Operation } from '../../request.ts';
import { CallFailure, Rejection } from './call.ts';
import type { Webhook } from './hook.ts';
import type { Ending, WebhookMetrics } from './metrics.ts';

export interface PolicyOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WebhookMetrics;
}

/** What a webhook has to say, or that its failure is passed over. */
export type Heard<T> = { readonly value: T } | 'failed open';

/** Asks a webhook, counts how that ended, and makes of a failure what its policy says. Throws the refusal of the request. */
export type Hear = <T>(hook: Webhook, operation: Operation, ask: () => Promise<T>) => Promise<Heard<T>>;

export function createHear({ clock, log, metrics }: PolicyOptions): Hear {
  return async (hook, operation, ask) => {
    const started = clock.monotonic();
    const ended = (rejection?: Ending['rejection']): void =>
      metrics.ended({
        hook: hook.name,
        operation,
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
        log.warn({ err: thrown, webhook: hook.name }, 'a webhook failed and is passed over');
        return 'failed open';
      }
      ended(rejectionOf(thrown));
      throw isFailure ? internalError(thrown.message) : thrown instanceof Rejection ? thrown.refusal : thrown;
    }
  };
}

function rejectionOf(thrown: unknown): NonNullable<Ending['rejection']> {
  if (thrown instanceof CallFailure) return { by: 'calling_webhook_error', code: thrown.code };
  if (thrown instanceof Rejection) return { by: 'no_error', code: thrown.refusal.code };
  return { by: 'apiserver_internal_error', code: 0 };
}
