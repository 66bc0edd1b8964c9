import type { Logger } from '../../base/log/index.ts';
import type { ReconcileResult } from './reconciler.ts';

/** Number of consecutive failures after which a key is logged as a warning. */
const WARN_AFTER_RETRIES = 5;

/** Fields of a reconcile in its log line; durations are in milliseconds. */
export interface LoggedReconcile {
  readonly key: string;
  readonly reconcileId: string;
  readonly ms: number;
  readonly waitedMs: number;
  /** Number of consecutive failures before this reconcile. */
  readonly retries: number;
  /** Delay before the retry of a failed key, in milliseconds. */
  readonly retryMs?: number;
}

/**
 * Writes the log line of a reconcile: at debug level for the outcomes settled and requeue, at info level for
 * a failure and at warn level for repeated failures.
 */
export function logReconcile(log: Logger, reconcile: LoggedReconcile, result: ReconcileResult): void {
  if (result.outcome !== 'failed' && !log.debugEnabled) return;
  const fields = {
    ref: reconcile.key,
    reconcileId: reconcile.reconcileId,
    outcome: result.outcome,
    ms: Math.round(reconcile.ms * 10) / 10,
    waitedMs: Math.round(reconcile.waitedMs),
    ...(reconcile.retries === 0 ? {} : { retries: reconcile.retries }),
    ...detailsOf(reconcile, result),
  };
  if (result.outcome !== 'failed') log.debug(fields, 'reconcile finished');
  else log[reconcile.retries >= WARN_AFTER_RETRIES ? 'warn' : 'info'](fields, 'reconcile finished');
}

/** Returns the fields that only one outcome has. */
function detailsOf({ retryMs = 0 }: LoggedReconcile, result: ReconcileResult): object {
  switch (result.outcome) {
    case 'settled':
      return {};
    case 'requeue':
      return { reason: result.reason, afterMs: Math.round(result.afterMs) };
    case 'failed': {
      const code = result.code === undefined ? {} : { code: result.code };
      return { ...code, err: result.error, retryMs: Math.round(retryMs) };
    }
  }
}
