import { parseRequestInfo } from '../../apiserver/http/index.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { Clock } from '../../base/clock/index.ts';
import {
  type HttpHandler,
  type Outbound,
  type OutboundRequest,
  type OutboundResponse,
  withHeaders,
} from '../../base/http/index.ts';
import type { Transport } from '../../runtime/index.ts';
import { WRITES } from '../plan/wire-faults.ts';

/** A write that passed a proxy or a recorded client on its way to the API server. */
export interface CarriedWrite {
  /** Name of the sending process. */
  readonly party: string;
  /** Actor as in a commit: a controller's name or `user`. */
  readonly actor: string;
  readonly info: RequestInfo;
  readonly body: unknown;
  /** Wall time of sending, in milliseconds since the epoch. */
  readonly sentMs: number;
  /** Wall time of the response or cancellation; undefined while the request is in flight. */
  endedMs?: number;
  /** Status code of the response. Undefined without a response; the effect of the write is then unknown. */
  status?: number;
  /** Uid of the object in the response. */
  uid?: string;
  resourceVersion?: string;
  name?: string;
}

/** Returns the actor of a request. */
export type ActorOf = (userAgent: string, info: RequestInfo) => string;

/** Recorder of all writes that pass its proxies and clients. */
export interface CarriedWrites {
  readonly all: readonly CarriedWrite[];
  /** Wraps an outbound connection. All its requests come from the process `party`. */
  outbound(outbound: Outbound, party: string, actorOf: ActorOf): Outbound;
  transport(transport: Transport, party: string, actorOf: ActorOf): Transport;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: OutboundRequest['headers'];
  readonly body?: OutboundRequest['body'];
}

interface Answer {
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Creates a recorder without writes. */
export function createCarriedWrites(clock: Pick<Clock, 'now'>): CarriedWrites {
  const all: CarriedWrite[] = [];
  /** Forwards a request with `send`. If the body was read for the record, its bytes are passed. */
  const carry = async <A extends Answer>(
    { method, path, headers, body }: Request,
    party: string,
    actorOf: ActorOf,
    send: (read?: Buffer) => Promise<A>,
  ): Promise<A> => {
    const info = parseRequestInfo(method, path);
    if (!WRITES.has(info.verb) || !info.isResourceRequest) return send();
    const read = await bytesOf(body);
    const carried: CarriedWrite = {
      party,
      actor: actorOf(String(headers['user-agent'] ?? ''), info),
      info,
      body: jsonOf(read),
      sentMs: Number(headers[ARRIVED] ?? clock.now()),
    };
    all.push(carried);
    try {
      const answer = await send(read);
      const text = await bytesOf(answer.body);
      Object.assign(carried, { status: answer.status, ...seenIn(jsonOf(text)) });
      return { ...answer, body: once(text) };
    } finally {
      carried.endedMs = clock.now();
    }
  };
  return {
    all,
    outbound: (outbound, party, actorOf) => ({
      close: () => outbound.close(),
      send: (peer, request) =>
        carry(request, party, actorOf, (read) => outbound.send(peer, withBody(unstamped(request), read))),
    }),
    transport: (transport, party, actorOf) => ({
      close: () => transport.close(),
      send: (request) => carry(request, party, actorOf, () => transport.send(request)),
    }),
  };
}

/**
 * Name of the request header with the time of arrival. It is present only between arrival and forwarding,
 * where faults may delay the request.
 */
const ARRIVED = 'chaos-arrived';

/** Wraps a handler so that the time of arrival is recorded before any fault is injected. */
export const stampArrivals =
  (handler: HttpHandler, clock: Pick<Clock, 'now'>): HttpHandler =>
  (request) =>
    handler(withHeaders(request, { ...request.headers, [ARRIVED]: [String(clock.now())] }));

function unstamped(request: OutboundRequest): OutboundRequest {
  const { [ARRIVED]: _, ...headers } = request.headers;
  return { ...request, headers };
}

/** Replaces the body by the bytes that were read; the body stays if none were read. */
function withBody({ body, ...request }: OutboundRequest, read?: Buffer): OutboundRequest {
  if (read === undefined) return body === undefined ? request : { ...request, body };
  return read.length === 0 ? request : { ...request, body: read };
}

async function bytesOf(body: OutboundRequest['body'] | OutboundResponse['body']): Promise<Buffer> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array)
    return Buffer.from(body ?? '');
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

/** Parses JSON. Returns undefined for other content, such as protobuf. */
function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

interface Answered {
  readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string; readonly name?: string };
  readonly details?: { readonly uid?: string; readonly name?: string };
}

/**
 * Reads the object from a response. In the Status that answers a deletion, the details name the deleted
 * object.
 */
function seenIn(answer: unknown): Pick<CarriedWrite, 'uid' | 'resourceVersion' | 'name'> {
  const { metadata = {}, details = {} } = (answer ?? {}) as Answered;
  const uid = metadata.uid ?? details.uid;
  const name = metadata.name ?? details.name;
  const { resourceVersion } = metadata;
  return {
    ...(uid !== undefined && { uid }),
    ...(name !== undefined && { name }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}
