import { ApiError, internalError, serverTimeout, tooLarge, unexplained } from '../../../api/status/index.ts';
import { isConfidential } from '../../../api/kinds/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { Logger } from '../../../base/log/index.ts';
import { orElse } from '../../../base/async/index.ts';
import { WorkBudgetError } from '../../../base/budget/index.ts';
import { BodyTooLarge, type HttpResponse } from '../../../base/http/index.ts';
import type { RequestContext, RequestInfo } from '../../request.ts';
import { REDACTED } from '../../registry/confidential/seen-values.ts';
import { StorageError } from '../../storage/storage.ts';
import type { Stage } from '../pipeline.ts';
import { errorResponse } from '../responses.ts';

/** As upstream has it. */
const RETRY_AFTER_SECONDS = 2;

/**
 * Outermost. Turns refusals into their `Status`, in the form the client asked for; what the store could not
 * do becomes one that says so, and anything else thrown a 500 without stack or text of the defect, which is logged under the request's id.
 */
export function createGuard(options: { vocabulary: Vocabulary; log: Logger }): Stage {
  return {
    name: 'guard',
    run: (context, next) =>
      orElse(
        () => next(context),
        (thrown) => refuse(context, thrown),
      ),
  };

  function refuse(context: RequestContext, thrown: unknown): HttpResponse {
    const refusal = refusalOf(thrown);
    if (refusal !== undefined) return errorResponse(context, refusal, options.vocabulary);
    const isAway = thrown instanceof StorageError;
    if (!context.http.signal.aborted)
      options.log.error(
        {
          err: loggable(thrown, context),
          id: context.id,
          method: context.info.httpMethod,
          path: context.info.path,
        },
        isAway ? 'request failed by the store' : 'request failed by a defect',
      );
    const answer = isAway
      ? refusalOfStore(thrown, context.info)
      : internalError('the server could not handle the request');
    return errorResponse(context, answer, options.vocabulary);
  }
}

/** A line of a stack that names a place in this program. */
const FRAME = /^ {4}at (?:[\w$.<>[\] #]+ \()?(?:file:|node:|\/)[^\s()]*:\d+:\d+\)?$/;

/**
 * Returns what the log may show of a defect. Where the objects of the request are secret that is its type and where it
 * was thrown: its text may repeat what was being worked on.
 */
export function loggable(thrown: unknown, { kind, info }: Pick<RequestContext, 'kind' | 'info'>): unknown {
  if (!isConfidential(kind, info.subresource) || thrown instanceof StorageError) return thrown;
  if (!(thrown instanceof Error)) return REDACTED;
  const { name, stack = '' } = thrown;
  const frames = stack.split('\n').filter((line) => FRAME.test(line));
  return Object.assign(new Error(REDACTED), { name, stack: [`${name}: ${REDACTED}`, ...frames].join('\n') });
}

const READS = new Set(['get', 'list', 'watch']);

/**
 * Where there is no room, or what lies there is broken, the client is told so, as upstream does: to try again is vain until
 * somebody has seen to it.
 */
const refusalOfStore = ({ code, message }: StorageError, info: RequestInfo): ApiError =>
  code === 'ERR_NO_ROOM' || code === 'ERR_BROKEN_VALUE' ? unexplained(message) : storeIsAway(info);

/** A write may have been carried out: whether to try again is for who asked to decide. */
const storeIsAway = (info: RequestInfo): ApiError =>
  serverTimeout(info.verb, info, READS.has(info.verb) ? RETRY_AFTER_SECONDS : undefined);

/** What is refused to the client; undefined for a defect. */
export function refusalOf(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof WorkBudgetError) return tooLarge(`Request entity too large: ${thrown.message}`);
  return thrown instanceof BodyTooLarge
    ? tooLarge(`Request entity too large: limit is ${thrown.limitBytes}`)
    : undefined;
}
