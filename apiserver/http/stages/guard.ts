import { ApiError, internalError } from '../../../api/status/api-error.ts';
import { type Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import type { Logger } from '../../../base/log/logger.ts';
import { orElse } from '../../../base/async/soon.ts';
import { BodyTooLarge, type HttpResponse } from '../../../base/http/message.ts';
import { tooLarge } from '../../../api/status/api-error.ts';
import type { RequestContext } from '../../request.ts';
import type { Stage } from '../pipeline.ts';
import { errorResponse } from '../responses.ts';

/**
 * Outermost. Turns refusals into their `Status`, in the form the client asked for; anything else thrown becomes a 500
 * without stack or text of the defect, which is logged under the request's id.
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
    if (!context.http.signal.aborted)
      options.log.error(
        { err: thrown, id: context.id, method: context.info.httpMethod, path: context.info.path },
        'request failed by a defect',
      );
    return errorResponse(
      context,
      internalError('the server could not handle the request'),
      options.vocabulary,
    );
  }
}

/** What is refused to the client; undefined for a defect. */
export function refusalOf(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown;
  return thrown instanceof BodyTooLarge
    ? tooLarge(`Request entity too large: limit is ${thrown.limitBytes}`)
    : undefined;
}
