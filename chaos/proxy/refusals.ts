import {
  ApiError,
  MODIFIED,
  conflict,
  expired,
  internalError,
  notFound,
  serviceUnavailable,
} from '../../api/status/api-error.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { HttpResponse } from '../../base/http/message.ts';
import type { Strike } from '../plan/strikes.ts';

/** A refusal as API servers write it. Always JSON: clients of every encoding read errors in it. */
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

/** The answer in place of which nothing was carried out. */
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
  const { status } = internalError('a fault plan says so');
  return new ApiError({ ...status, code, ...(code === 500 ? {} : { reason: 'Unknown' as const }) });
}

/** What a stale read finds that goes back to before its object was there. */
export const absent = (info: RequestInfo): HttpResponse => statusResponse(notFound(info, info.name));

/** The version that a watch goes on from has left the history, in the form of an event. */
export const expiredEvent: Uint8Array = Buffer.from(
  `${JSON.stringify({ type: 'ERROR', object: expired('too old resource version').status })}\n`,
);
