import type { Soon } from '../../base/async/index.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import type { HttpRequest, HttpResponse } from '../../base/http/index.ts';
import type { Logger } from '../../base/log/index.ts';
import { type Passing, targetOf } from '../plan/matching.ts';
import type { Reach, Strike, Strikes } from '../plan/strikes.ts';
import { WRITES } from '../plan/wire-faults.ts';
import type { ClientProcess } from './client-process.ts';
import { createFaultyWatch } from './faulty-watch.ts';
import { expiredWatch, refusalOf } from './refusals.ts';
import { bytesOf, detached } from './whole-request.ts';

/** Forwards a request to the API server. */
export type Carry = (request: HttpRequest) => Soon<HttpResponse>;

/** Source of stale reads. */
export interface OlderViews {
  /** Returns the number of older views that are available within a limit of revisions and age. */
  reach(passing: Passing, request: HttpRequest): Reach;
  /** Returns an older view. `back` is its position; 1 is the latest. */
  read(passing: Passing, request: HttpRequest, back: number, carry: Carry): Promise<HttpResponse>;
  /** Called with each response, which may later become an older view. */
  note?(passing: Passing, request: HttpRequest, response: HttpResponse): Soon<HttpResponse>;
}

export interface InterceptionOptions {
  readonly strikes: Strikes;
  /** The client's process. Undefined if the proxy did not start the client, so that plans cannot kill it. */
  readonly process?: ClientProcess;
  readonly older: OlderViews;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Forwards requests and responses and applies the faults of a plan. */
export type Interception = (passing: Passing, request: HttpRequest, carry: Carry) => Promise<HttpResponse>;

/**
 * Creates an interception that injects a fault into requests for which the plan chooses one, and forwards
 * other requests unchanged.
 */
export const createInterception = (given: InterceptionOptions): Interception => {
  const options = { ...given, expired: new Map<string, number>() };
  return (passing, request, carry) => {
    if (isExpired(options, passing)) return Promise.resolve(expiredWatch());
    const strike = options.strikes.onRequest(passing, options.older.reach(passing, request));
    return strike === undefined
      ? undisturbed(options, passing, request, carry)
      : struck(options, strike, { passing, request, carry });
  };
};

interface Interceptor extends InterceptionOptions {
  /**
   * Revision of the first event that an `expired-watch` dropped, by client and resource. A watch that starts
   * before this revision is rejected. Otherwise it would deliver the event later, which only a list may show.
   */
  readonly expired: Map<string, number>;
}

const expiryKey = ({ info, user, userAgent }: Passing): string => `${user} ${userAgent} ${targetOf(info)}`;

function isExpired({ expired: known }: Interceptor, passing: Passing): boolean {
  const { verb, query } = passing.info;
  const from = Number(query.get('resourceVersion') ?? 0);
  return verb === 'watch' && from > 0 && from < (known.get(expiryKey(passing)) ?? 0);
}

interface Call {
  readonly passing: Passing;
  readonly request: HttpRequest;
  readonly carry: Carry;
}

async function undisturbed(
  options: Interceptor,
  passing: Passing,
  request: HttpRequest,
  carry: Carry,
): Promise<HttpResponse> {
  const response = await carry(request);
  if (passing.info.verb === 'watch') return watched(options, passing, request, response);
  const { strikes, older } = options;
  return older.note !== undefined && strikes.concernsStale(passing)
    ? older.note(passing, request, response)
    : response;
}

async function struck(options: Interceptor, strike: Strike, call: Call): Promise<HttpResponse> {
  const { clock, older } = options;
  const { passing, request, carry } = call;
  const { fault, lastsMs = 0 } = strike;
  switch (fault) {
    case 'slow-request':
      if (!(await waited(clock, lastsMs, request.signal))) return NOT_SENT;
      return undisturbed(options, passing, request, carry);
    case 'slow-response': {
      const response = await undisturbed(options, passing, request, carry);
      return (await waited(clock, lastsMs, request.signal)) ? response : NOT_SENT;
    }
    case 'refused':
      return dropped(request);
    case 'lost-response':
      await carriedOut(call, await detached(request));
      return dropped(request);
    case 'unanswered':
      // A read has no effect, so it is not forwarded.
      if (WRITES.has(passing.info.verb)) await carriedOut(call, await detached(request));
      return disconnected(request.signal);
    case 'zombie': {
      const ghost = await detached(request);
      const { log } = options;
      clock.setTimeout(
        () =>
          void carriedOut(call, ghost).catch((err: unknown) =>
            log.debug({ err }, 'a request that was to arrive late did not'),
          ),
        lastsMs,
      );
      return dropped(request);
    }
    case 'crash-before':
      options.process?.crash(lastsMs);
      return dropped(request);
    case 'crash-after': {
      const whole = await detached(request);
      // The process is killed before it can receive the response.
      await carriedOut(call, whole);
      options.process?.crash(lastsMs);
      return dropped(request);
    }
    case 'stale-list':
      return older.read(passing, request, strike.back, carry);
    case 'conflict':
    case 'too-many-requests':
    case 'server-error':
    case 'unavailable':
    case 'expired-page':
      return refusalOf(fault, strike, passing.info);
    default:
      // The other faults apply to watch events, not to requests.
      return undisturbed(options, passing, request, carry);
  }
}

/** Waits `ms` milliseconds. Returns false if the sender disconnects meanwhile. */
const waited = (clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(clock, ms, signal).then(
    () => true,
    () => false,
  );

/** Forwards a request, and reads and discards the response. */
async function carriedOut({ carry }: Call, request: HttpRequest): Promise<void> {
  const { body } = await carry(request);
  await bytesOf(body);
}

/** Breaks the sender's connection. The returned response is not sent. */
function dropped(request: HttpRequest): HttpResponse {
  request.drop?.();
  return NOT_SENT;
}

const NOT_SENT: HttpResponse = { status: 503, headers: {}, body: new Uint8Array() };

/** Waits until the sender disconnects. */
const disconnected = (signal: AbortSignal): Promise<HttpResponse> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(NOT_SENT);
    else signal.addEventListener('abort', () => resolve(NOT_SENT), { once: true });
  });

/** Applies the plan's event faults to a watch. */
function watched(
  { strikes, clock, process, expired: known }: Interceptor,
  passing: Passing,
  request: HttpRequest,
  response: HttpResponse,
): HttpResponse {
  const { body } = response;
  if (response.status !== 200 || typeof body !== 'function' || !strikes.concernsEvents(passing))
    return response;
  const { 'content-length': _, ...headers } = response.headers;
  return {
    ...response,
    headers,
    body: (target) =>
      body(
        createFaultyWatch({
          target,
          clock,
          isJson: isJson(response),
          decide: (event) => {
            const strike = strikes.onEvent(passing, event);
            if (strike?.fault === 'expired-watch') known.set(expiryKey(passing), event.revision ?? 0);
            return strike;
          },
          drop: () => request.drop?.(),
          ...(process && { process }),
        }),
      ),
  };
}

export const isJson = ({ headers }: HttpResponse): boolean => {
  const type = headers['content-type'];
  return String(typeof type === 'string' ? type : (type?.[0] ?? '')).startsWith('application/json');
};
