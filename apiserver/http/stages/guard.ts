import { ApiError, internalError } from '../../../api/status/api-error.ts';
import { type Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import type { Logger } from '../../../base/log/logger.ts';
import { BodyTooLarge } from '../../../base/http/message.ts';
import { tooLarge } from '../../../api/status/api-error.ts';
import type { Stage } from '../pipeline.ts';
import { errorResponse } from '../responses.ts';

/**
 * Outermost. Turns refusals into their `Status`, in the form the client asked for; anything else thrown becomes a 500
 * without stack or text of the defect, which is logged under the request's id.
 */
export function createGuard(options: { vocabulary: Vocabulary; log: Logger }): Stage {
  return {
    name: 'guard',
    async run(context, next) {
      try {
        return await next(context);
      } catch (thrown) {
        if (thrown instanceof ApiError) return errorResponse(context, thrown, options.vocabulary);
        if (thrown instanceof BodyTooLarge)
          return errorResponse(
            context,
            tooLarge(`Request entity too large: limit is ${thrown.limitBytes}`),
            options.vocabulary,
          );
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
    },
  };
}
