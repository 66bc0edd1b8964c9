import { parseRequestInfo } from '../../apiserver/http/request-info.ts';
import type { RequestInfo } from '../../apiserver/request.ts';
import type { Clock } from '../../base/clock/clock.ts';
import { type HttpHandler, withHeaders } from '../../base/http/message.ts';
import type { Outbound, OutboundRequest, OutboundResponse } from '../../base/http/outbound.ts';
import type { Transport } from '../../runtime/index.ts';
import { WRITES } from '../plan/wire-faults.ts';

/** A write that was brought to the API server, as whoever carried it saw it. */
export interface CarriedWrite {
  /** Which process sent it. */
  readonly party: string;
  /** As a commit has it: a controller's name, `user`. */
  readonly actor: string;
  readonly info: RequestInfo;
  readonly body: unknown;
  /** Wall time. */
  readonly sentMs: number;
  /** When it was answered, or that it was given up; absent while it is under way. */
  endedMs?: number;
  /** Absent where there was no answer: whether it was carried out is not known then. */
  status?: number;
  /** Of the object in the answer. */
  uid?: string;
  resourceVersion?: string;
  name?: string;
}

/** Tells whose request it is. */
export type ActorOf = (userAgent: string, info: RequestInfo) => string;

/** Notes every write that passes. */
export interface CarriedWrites {
  readonly all: readonly CarriedWrite[];
  /** What passes here was sent by one process. */
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

export function createCarriedWrites(clock: Pick<Clock, 'now'>): CarriedWrites {
  const all: CarriedWrite[] = [];
  /** Brings a request on by `send`, told its body where that was read. */
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

/** Header that a request bears between its arrival and its being carried on: when it arrived. What struck it came after. */
const ARRIVED = 'chaos-arrived';

/** Requests as they come from their senders, before anything is done to them. */
export const stampArrivals =
  (handler: HttpHandler, clock: Pick<Clock, 'now'>): HttpHandler =>
  (request) =>
    handler(withHeaders(request, { ...request.headers, [ARRIVED]: [String(clock.now())] }));

function unstamped(request: OutboundRequest): OutboundRequest {
  const { [ARRIVED]: _, ...headers } = request.headers;
  return { ...request, headers };
}

/** The same request with its body read, where it was and there is one. */
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

/** undefined for what is none: protobuf, or nothing. */
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

/** An object tells itself, the status of a deletion what was deleted. */
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
