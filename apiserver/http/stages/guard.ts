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
import { errorResponse } from '../response/responses.ts';

/** Seconds in `Retry-After` of a read while the store is unavailable, as in upstream. */
const RETRY_AFTER_SECONDS = 2;

/**
 * Creates the stage that turns errors into `Status` responses in the form that the client requested. A
 * failure of the store is reported as such. Any other exception becomes a 500 without message or stack, which
 * are logged with the request's id.
 */
export function createGuard(options: { vocabulary: Vocabulary; log: Logger }): Stage {
  return {
    name: 'guard',
    run: (context, next) =>
      orElse(
        () => next(context),
        (thrown) => toResponse(context, thrown),
      ),
  };

  function toResponse(context: RequestContext, thrown: unknown): HttpResponse {
    const clientError = clientErrorOf(thrown);
    if (clientError !== undefined) return errorResponse(context, clientError, options.vocabulary);
    const isStoreFailure = thrown instanceof StorageError;
    if (!context.http.signal.aborted)
      options.log.error(
        {
          err: loggable(thrown, context),
          id: context.id,
          method: context.info.httpMethod,
          path: context.info.path,
        },
        isStoreFailure ? 'request failed because of the store' : 'request failed because of a defect',
      );
    const error = isStoreFailure
      ? storeErrorOf(thrown, context.info)
      : internalError('the server could not handle the request');
    return errorResponse(context, error, options.vocabulary);
  }
}

/** Pattern of a stack trace line that names a source location. */
const FRAME = /^ {4}at (?:[\w$.<>[\] #]+ \()?(?:file:|node:|\/)[^\s()]*:\d+:\d+\)?$/;

/**
 * Returns the loggable part of a defect. If the objects of the request are confidential, the part is only its
 * type and stack locations: the message may contain object data.
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
 * Returns the error for a failure of the store. A full store or a damaged value is reported with its message,
 * as upstream does: retries fail until an administrator repairs the store.
 */
const storeErrorOf = ({ code, message }: StorageError, info: RequestInfo): ApiError =>
  code === 'ERR_NO_ROOM' || code === 'ERR_BROKEN_VALUE' ? unexplained(message) : storeUnavailable(info);

/**
 * Returns the error for an unavailable store. Only reads get `Retry-After`: a write may have been stored, so
 * the client must decide whether to repeat it.
 */
const storeUnavailable = (info: RequestInfo): ApiError =>
  serverTimeout(info.verb, info, READS.has(info.verb) ? RETRY_AFTER_SECONDS : undefined);

/** Returns the error as the client receives it, or undefined for a defect. */
export function clientErrorOf(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof WorkBudgetError) return tooLarge(`Request entity too large: ${thrown.message}`);
  return thrown instanceof BodyTooLarge
    ? tooLarge(`Request entity too large: limit is ${thrown.limitBytes}`)
    : undefined;
}
