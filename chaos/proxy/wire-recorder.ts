import { parse } from 'yaml';
import { qualified } from '../../api/status/index.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { Clock } from '../../base/clock/index.ts';
import {
  type BodySink,
  type HttpRequest,
  type HttpResponse,
  firstHeader,
  withHeaders,
} from '../../base/http/index.ts';
import type {
  Moment,
  WireEntry,
  WireEvent,
  WireObject,
  WireRequest,
  WireResponse,
} from '../judge/wire-history.ts';
import type { Passing } from '../plan/matching.ts';
import type { Strike, Strikes } from '../plan/strikes.ts';
import { WRITES } from '../plan/wire-faults.ts';
import type { Carry, Interception } from './interception.ts';
import { createFrameSplitter } from './watch-frames.ts';
import { bytesOf, detached } from './whole-request.ts';

/** Request whose response is not known yet. */
type OpenRequest = { -readonly [F in keyof WireRequest]: WireRequest[F] };

/**
 * Recorder of all requests, responses and events between a client and an API server. It never records
 * headers.
 */
export interface WireRecorder {
  readonly entries: readonly WireEntry[];
  /** Number of times that the client was started. */
  run: number;
  /** Returns the next position in the recording. The observer uses it for versions. */
  moment(): Moment;
  add(entry: WireEntry): void;
  /** Wraps fault decisions and records them with their requests. */
  strikes(strikes: Strikes): Strikes;
  /**
   * Wraps an interception and records its requests and responses. @param before called with each request; the
   * request is forwarded when the promise resolves
   */
  interception(inner: Interception, before: (info: RequestInfo) => Promise<void>): Interception;
}

/** Creates an empty recorder. Its times count from this call. */
export const createWireRecorder = (clock: Pick<Clock, 'monotonic'>): WireRecorder => new Recorder(clock);

class Recorder implements WireRecorder {
  readonly entries: WireEntry[] = [];
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #startMs: number;
  readonly #faults = new WeakMap<Passing, string>();
  #seq = 0;
  run = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#startMs = clock.monotonic();
  }

  moment(): Moment {
    return { seq: ++this.#seq, atMs: Math.round(this.#clock.monotonic() - this.#startMs) };
  }

  add(entry: WireEntry): void {
    this.entries.push(entry);
  }

  strikes(inner: Strikes): Strikes {
    return {
      onRequest: (passing, reach) => {
        const strike = inner.onRequest(passing, reach);
        if (strike !== undefined) this.#faults.set(passing, strike.fault);
        return strike;
      },
      onEvent: (watch, event) => {
        const strike = inner.onEvent(watch, event);
        if (strike !== undefined)
          this.add({ ...this.moment(), type: 'fault', text: textOf(strike, watch, event) });
        return strike;
      },
      concernsEvents: (watch) => inner.concernsEvents(watch),
      concernsStale: (passing) => inner.concernsStale(passing),
    };
  }

  interception(inner: Interception, before: (info: RequestInfo) => Promise<void>): Interception {
    return async (passing, original, carry) => {
      const { info } = passing;
      if (!info.isResourceRequest || info.subresource === 'log') return inner(passing, original, carry);
      await before(info);
      const request = readable(original);
      const whole = WRITES.has(info.verb) ? await rereadable(request) : request;
      const entry: OpenRequest = {
        ...this.moment(),
        type: 'request',
        run: this.run,
        verb: info.verb,
        resource: qualified(info),
        subresource: info.subresource,
        namespace: info.namespace,
        name: info.name,
        query: Object.fromEntries(info.query),
        contentType: firstHeader(request.headers, 'content-type') ?? '',
        ...(WRITES.has(info.verb) && { body: await bodyOf(whole) }),
      };
      this.add(entry);
      return this.#passed(inner, passing, whole, carry, entry);
    };
  }

  async #passed(
    inner: Interception,
    passing: Passing,
    request: HttpRequest,
    carry: Carry,
    entry: OpenRequest,
  ): Promise<HttpResponse> {
    let isDropped = false;
    const observed: HttpRequest = {
      ...withHeaders(request, request.headers),
      signal: request.signal,
      drop: () => {
        isDropped = true;
        request.drop?.();
      },
    };
    const response = await inner(passing, observed, async (carried) => {
      const answered = await whole(passing, await carry(carried));
      entry.carriedSeq = this.moment().seq;
      entry.carried = responseOf(answered);
      return answered;
    });
    const fault = this.#faults.get(passing);
    if (fault !== undefined) entry.fault = fault;
    if (isDropped || request.signal.aborted) return response;
    const delivered = await whole(passing, response);
    entry.deliveredSeq = this.moment().seq;
    entry.delivered = responseOf(delivered);
    return passing.info.verb === 'watch' ? this.#watched(delivered, entry) : delivered;
  }

  /** Records the events that a watch delivers. */
  #watched(response: HttpResponse, { resource, run }: OpenRequest): HttpResponse {
    const { body } = response;
    if (response.status !== 200 || typeof body !== 'function') return response;
    return {
      ...response,
      body: (target) => {
        const frames = createFrameSplitter();
        body(
          reporting(target, (chunk) => {
            for (const frame of frames.push(chunk)) {
              const event = parsed(Buffer.from(frame)) as { type?: string; object?: WireObject } | undefined;
              if (event?.type !== undefined && event.object?.metadata !== undefined)
                this.add(this.#eventOf(resource, run, event.type, event.object));
            }
          }),
        );
      },
    };
  }

  #eventOf(resource: string, run: number, event: string, object: WireObject): WireEvent {
    return { ...this.moment(), type: 'event', run, resource, event, object };
  }
}

const textOf = (
  { fault, lastsMs }: Strike,
  { info }: Passing,
  event: { type: string; name: string },
): string =>
  `${fault}${lastsMs === undefined ? '' : ` for ${Math.round(lastsMs)} ms`} at ${event.type} ${qualified(info)} ${event.name}`.trim();

/** Returns the request with headers that ask for JSON, if the client accepts JSON. */
function readable(request: HttpRequest): HttpRequest {
  const accept = (request.headers['accept'] ?? []).join(',');
  if (!accept.includes('protobuf') || !accept.includes('json')) return request;
  const kept = accept.split(',').filter((each) => !each.includes('protobuf'));
  return withHeaders(request, { ...request.headers, accept: [kept.join(',')] });
}

/** Returns the request with a body that can be read several times. */
async function rereadable(request: HttpRequest): Promise<HttpRequest> {
  const { body, headers } = await detached(request);
  const { stream: _, ...kept } = withHeaders(request, headers);
  return { ...kept, signal: request.signal, peer: request.peer, body };
}

async function bodyOf(request: HttpRequest): Promise<unknown> {
  const bytes = Buffer.from(await request.body(Number.POSITIVE_INFINITY));
  if (!/yaml/.test(firstHeader(request.headers, 'content-type') ?? '')) return parsed(bytes);
  try {
    return parse(bytes.toString(), { logLevel: 'error' });
  } catch {
    return undefined;
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** Returns the response with its whole body; watches stay streams. */
const whole = async ({ info }: Passing, response: HttpResponse): Promise<HttpResponse> =>
  info.verb === 'watch' && response.status === 200
    ? response
    : { ...response, body: await bytesOf(response.body) };

function responseOf({ status, headers, body }: HttpResponse): WireResponse {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return {
    status,
    ...(body instanceof Uint8Array && { body: parsed(Buffer.from(body)) }),
    ...(Number.isFinite(seconds) && { retryAfterSeconds: seconds }),
  };
}

/** Returns a sink that passes everything on to `target` and reports each chunk. */
const reporting = (target: BodySink, onChunk: (chunk: Uint8Array) => void): BodySink => ({
  write(chunk) {
    onChunk(chunk);
    return target.write(chunk);
  },
  onDrain: (run) => target.onDrain(run),
  onClose: (run) => target.onClose(run),
  end: () => target.end(),
  cut: () => target.cut?.(),
  get closed() {
    return target.closed;
  },
});
