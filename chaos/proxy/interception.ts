import type { Soon } from '../../base/async/soon.ts';
import { type Clock, sleep } from '../../base/clock/clock.ts';
import type { HttpRequest, HttpResponse } from '../../base/http/message.ts';
import type { Logger } from '../../base/log/logger.ts';
import type { Passing, Reach, Strike, Strikes } from '../plan/strikes.ts';
import { WRITES } from '../plan/wire-faults.ts';
import { createFaultyWatch } from './faulty-watch.ts';
import { refusalOf } from './refusals.ts';
import { bytesOf, detached } from './whole-request.ts';

/** Brings a request to the API server. */
export type Carry = (request: HttpRequest) => Soon<HttpResponse>;

/** What stale reads are given. */
export interface OlderViews {
  /** How many older views of what is asked for there are within some bounds. */
  reach(passing: Passing, request: HttpRequest): Reach;
  /** One of them, `back` from 1, the latest, on. */
  read(passing: Passing, request: HttpRequest, back: number, carry: Carry): Promise<HttpResponse>;
  /** Sees the answers to requests that may later be answered with an older view. */
  note?(passing: Passing, request: HttpRequest, response: HttpResponse): Soon<HttpResponse>;
}

export interface InterceptionOptions {
  readonly strikes: Strikes;
  readonly older: OlderViews;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Carries requests to an API server and its answers back, with what goes wrong by the plan. */
export type Interception = (passing: Passing, request: HttpRequest, carry: Carry) => Promise<HttpResponse>;

export const createInterception =
  (options: InterceptionOptions): Interception =>
  (passing, request, carry) => {
    const strike = options.strikes.onRequest(passing, options.older.reach(passing, request));
    return strike === undefined
      ? undisturbed(options, passing, request, carry)
      : struck(options, strike, { passing, request, carry });
  };

interface Call {
  readonly passing: Passing;
  readonly request: HttpRequest;
  readonly carry: Carry;
}

async function undisturbed(
  options: InterceptionOptions,
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

async function struck(options: InterceptionOptions, strike: Strike, call: Call): Promise<HttpResponse> {
  const { clock, older } = options;
  const { passing, request, carry } = call;
  const { fault, lastsMs = 0 } = strike;
  switch (fault) {
    case 'slow-request':
      if (!(await passes(clock, lastsMs, request.signal))) return UNHEARD;
      return undisturbed(options, passing, request, carry);
    case 'slow-response': {
      const response = await undisturbed(options, passing, request, carry);
      return (await passes(clock, lastsMs, request.signal)) ? response : UNHEARD;
    }
    case 'refused':
      return dropped(request);
    case 'lost-response':
      await carriedOut(call, await detached(request));
      return dropped(request);
    case 'unanswered':
      // Of what changes nothing there is nothing to carry out.
      if (WRITES.has(passing.info.verb)) await carriedOut(call, await detached(request));
      return gone(request.signal);
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
    case 'stale-list':
      return older.read(passing, request, strike.back, carry);
    case 'conflict':
    case 'too-many-requests':
    case 'server-error':
    case 'unavailable':
    case 'expired-page':
      return refusalOf(fault, strike, passing.info);
    default:
      // The rest strikes events, which no request is.
      return undisturbed(options, passing, request, carry);
  }
}

/** Waits; false when the one who asked gives up meanwhile. */
const passes = (clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> =>
  sleep(clock, ms, signal).then(
    () => true,
    () => false,
  );

/** The request is carried out to its end; nobody reads the answer. */
async function carriedOut({ carry }: Call, request: HttpRequest): Promise<void> {
  const { body } = await carry(request);
  await bytesOf(body);
}

/** Whoever asked hears nothing: what is returned goes nowhere. */
function dropped(request: HttpRequest): HttpResponse {
  request.drop?.();
  return UNHEARD;
}

const UNHEARD: HttpResponse = { status: 503, headers: {}, body: new Uint8Array() };

/** Waits until the one who asked gives up. */
const gone = (signal: AbortSignal): Promise<HttpResponse> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(UNHEARD);
    else signal.addEventListener('abort', () => resolve(UNHEARD), { once: true });
  });

/** A watch whose events the faults of the plan strike. */
function watched(
  { strikes, clock }: InterceptionOptions,
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
          decide: (event) => strikes.onEvent(passing, event),
          drop: () => request.drop?.(),
        }),
      ),
  };
}

export const isJson = ({ headers }: HttpResponse): boolean => {
  const type = headers['content-type'];
  return String(typeof type === 'string' ? type : (type?.[0] ?? '')).startsWith('application/json');
};
