import {
  ApiError,
  MODIFIED,
  conflict,
  expired,
  internalError,
  notFound,
  serviceUnavailable,
} from '../../api/status/index.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { HttpResponse } from '../../base/http/index.ts';
import type { Strike } from '../plan/strikes.ts';

/**
 * Creates an error response. The response is always JSON, because clients of every encoding accept errors in
 * JSON.
 */
export function statusResponse(error: ApiError, retryAfterSeconds = 0): HttpResponse {
  const { status } = error;
  return {
    status: status.code,
    headers: {
      'content-type': 'application/json',
      ...(retryAfterSeconds > 0 ? { 'retry-after': String(retryAfterSeconds) } : {}),
    },
    body: Buffer.from(`${JSON.stringify(status)}\n`),
  };
}

export type Refusal = 'conflict' | 'too-many-requests' | 'server-error' | 'unavailable' | 'expired-page';

/** Returns the error response of a fault. The request is not executed. */
export function refusalOf(fault: Refusal, strike: Strike, info: RequestInfo): HttpResponse {
  const { retryAfterSeconds, code } = strike;
  switch (fault) {
    case 'conflict':
      return statusResponse(conflict(info, info.name, MODIFIED));
    case 'too-many-requests':
      return statusResponse(tooMany(retryAfterSeconds), retryAfterSeconds);
    case 'server-error':
      return statusResponse(serverError(code));
    case 'unavailable': {
      const { status } = serviceUnavailable('the server is currently unable to handle the request');
      return statusResponse(new ApiError({ ...status, details: { retryAfterSeconds } }), retryAfterSeconds);
    }
    case 'expired-page':
      return statusResponse(
        expired('The provided continue parameter is too old to display a consistent list result.'),
      );
  }
}

const tooMany = (retryAfterSeconds: number): ApiError =>
  new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'too many requests, please try again later',
    reason: 'TooManyRequests',
    details: { retryAfterSeconds },
    code: 429,
  });

function serverError(code: number): ApiError {
  const { status } = internalError('injected by the fault plan');
  return new ApiError({ ...status, code, ...(code === 500 ? {} : { reason: 'Unknown' as const }) });
}

/** Returns the response to a stale read of an object, from a time before the object existed. */
export const absent = (info: RequestInfo): HttpResponse => statusResponse(notFound(info, info.name));

/** Watch event for a version that is no longer in the retained history. */
export const expiredEvent: Uint8Array = Buffer.from(
  `${JSON.stringify({ type: 'ERROR', object: expired('too old resource version').status })}\n`,
);

/** Returns the response to a watch that starts before an event that was dropped. */
export const expiredWatch = (): HttpResponse => statusResponse(expired('too old resource version'));
