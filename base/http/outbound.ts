import { CodedError } from '../errors/coded.ts';
import type { HttpHeaders } from './message.ts';

/**
 * Requests that a server makes of its own: to webhooks, aggregated servers, token issuers. Redirects are answers like any
 * other and never followed: a peer cannot send the server's requests, and what they carry, elsewhere.
 */
export interface Outbound {
  /** Rejects with the signal's reason when it aborts, with an `OutboundError` when there is no answer. */
  send(peer: OutboundPeer, request: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

/** Who is called, and how it is known to be the one. Connections are kept per distinct peer. */
export interface OutboundPeer {
  /** `https://host:port`, without path. */
  readonly origin: string;
  /** PEM bundle that the peer's certificate is verified with; default the machine's roots. */
  readonly ca?: string;
  /** The name asked for and checked in the certificate; default the host of `origin`. */
  readonly serverName?: string;
  /** Default false: an unverifiable peer is refused. */
  readonly insecureSkipVerify?: boolean;
  /** PEM client certificate and its key. */
  readonly certificate?: string;
  readonly key?: string;
}

export interface OutboundRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Chunks that come one after another are asked for as the peer takes them. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** Milliseconds until the answer's head must be there; 0 for no limit. */
  readonly headersTimeoutMs: number;
  /** The answer goes on for as long as the peer likes (a watch). */
  readonly streaming?: boolean;
  /**
   * Another protocol to speak from here on, as the `Upgrade` header names it (RFC 9110, section 7.8). Where the peer answers
   * 101, `body` is what goes to it from then on and the answer's body what comes from it, each at its own pace; any other
   * answer is one as always, and `body` is not read.
   */
  readonly upgrade?: string;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Chunks as they come; leaving the loop gives the connection up. */
  readonly body: AsyncIterable<Uint8Array>;
}

export type OutboundErrorCode =
  /** No connection, or one that ended too early. */
  | 'ERR_OUTBOUND_CONNECTION'
  /** The peer's certificate was not verified, or the peer refused ours. */
  | 'ERR_OUTBOUND_TLS'
  | 'ERR_OUTBOUND_TIMEOUT'
  /** What was to be sent is no request: a header or an origin that cannot be written. */
  | 'ERR_OUTBOUND_REQUEST'
  /** A client-chosen address that must not be dialled. */
  | 'ERR_OUTBOUND_ADDRESS'
  /** The answer is larger than is read. */
  | 'ERR_OUTBOUND_TOO_LARGE'
  | 'ERR_OUTBOUND_CLOSED';

/** There is no answer. The message names the origin and the reason; never a header, a body or a key. */
export class OutboundError extends CodedError<OutboundErrorCode> {}

/** The whole body of an answer. Throws `ERR_OUTBOUND_TOO_LARGE` as soon as it is larger than `limitBytes`. */
export async function readOutbound(
  { body }: Pick<OutboundResponse, 'body'>,
  limitBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limitBytes)
      throw new OutboundError('ERR_OUTBOUND_TOO_LARGE', `the answer is larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
