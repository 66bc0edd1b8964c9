import {
  ApiError,
  internalError,
  serverTimeout,
  tooLarge,
  unexplained,
} from '../../../api/status/api-error.ts';
import { type Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import type { Logger } from '../../../base/log/logger.ts';
import { orElse } from '../../../base/async/soon.ts';
import { WorkBudgetError } from '../../../base/budget/work-budget.ts';
import { BodyTooLarge, type HttpResponse } from '../../../base/http/message.ts';
import type { RequestContext, RequestInfo } from '../../request.ts';
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
        { err: thrown, id: context.id, method: context.info.httpMethod, path: context.info.path },
        isAway ? 'request failed by the store' : 'request failed by a defect',
      );
    const answer = isAway
      ? refusalOfStore(thrown, context.info)
      : internalError('the server could not handle the request');
    return errorResponse(context, answer, options.vocabulary);
  }
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
