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
    ...detailsOf(pass, result),
  };
  if (result.outcome !== 'failed') log.debug(fields, 'pass finished');
  else log[pass.retries >= WARN_AFTER_RETRIES ? 'warn' : 'info'](fields, 'pass finished');
}

/** What only one outcome has. */
function detailsOf({ retryMs = 0 }: FinishedPass, result: PassResult): object {
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
