import type { Logger } from '../../base/log/logger.ts';
import type { PassResult } from './pass.ts';

/** A key that has failed this often in a row is worth a person's look. */
const WARN_AFTER_RETRIES = 5;

export interface FinishedPass {
  readonly key: string;
  readonly passId: string;
  readonly ms: number;
  readonly waitedMs: number;
  /** Failures in a row before this pass. */
  readonly retries: number;
  /** When a failed key is tried again. */
  readonly retryMs?: number;
}

/** The one line of a pass. Settled and waiting are steps, a failure is news, one that lasts is a warning. */
export function logPass(log: Logger, pass: FinishedPass, result: PassResult): void {
  if (result.outcome !== 'failed' && !log.debugEnabled) return;
  const fields = {
    ref: pass.key,
    passId: pass.passId,
    outcome: result.outcome,
    ms: Math.round(pass.ms * 10) / 10,
    waitedMs: Math.round(pass.waitedMs),
    ...(pass.retries === 0 ? {} : { retries: pass.retries }),
  };
  if (result.outcome === 'settled') log.debug(fields, 'pass finished');
  else if (result.outcome === 'requeue')
    log.debug({ ...fields, reason: result.reason, afterMs: Math.round(result.afterMs) }, 'pass finished');
  else {
    const level = pass.retries >= WARN_AFTER_RETRIES ? 'warn' : 'info';
    const code = result.code === undefined ? {} : { code: result.code };
    log[level](
      { ...fields, ...code, err: result.error, retryMs: Math.round(pass.retryMs ?? 0) },
      'pass finished',
    );
  }
}
