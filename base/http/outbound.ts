import { CodedError } from '../errors/coded.ts';
import type { HttpHeaders } from './message.ts';

/**
 * Requests that the server itself sends, to webhooks, aggregated servers and token issuers. Redirects are
 * never followed: a peer cannot send the server's requests, with their credentials, elsewhere.
 */
export interface Outbound {
  /** Rejects with the signal's reason when it aborts, with an `OutboundError` without a response. */
  send(peer: OutboundPeer, request: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

/** A peer and how to verify it. Connections are kept per distinct peer. */
export interface OutboundPeer {
  /** `https://host:port`, without path. */
  readonly origin: string;
  /** Trusted certificate authorities in PEM; default those of the system. */
  readonly ca?: string;
  /** Name requested and verified in the certificate; default the host of `origin`. */
  readonly serverName?: string;
  /** True to accept an unverified peer. Default false. */
  readonly insecureSkipVerify?: boolean;
  /** Client certificate and key in PEM. */
  readonly certificate?: string;
  readonly key?: string;
}

/** A request to a peer. */
export interface OutboundRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Chunks of an iterable are read at the speed of the peer. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** Time limit for the response headers in milliseconds; 0 for none. */
  readonly headersTimeoutMs: number;
  /** True for a stream such as a watch. */
  readonly streaming?: boolean;
  /**
   * Protocol to switch to, in the `Upgrade` header (RFC 9110, section 7.8). After a 101 response `body` is
   * sent to the peer and the response's body comes from it, independently. Any other response is a normal
   * one, and `body` is not read.
   */
  readonly upgrade?: string;
}

/** A response with a streamed body. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Chunks of the body; leaving the loop closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Reasons for a request without a response. */
export type OutboundErrorCode =
  /** No connection, or one that ended too early. */
  | 'ERR_OUTBOUND_CONNECTION'
  /** The certificate of the peer was not verified, or the peer refused ours. */
  | 'ERR_OUTBOUND_TLS'
  | 'ERR_OUTBOUND_TIMEOUT'
  /** The request has an invalid header or origin. */
  | 'ERR_OUTBOUND_REQUEST'
  /** An address chosen by a client that must not be dialled. */
  | 'ERR_OUTBOUND_ADDRESS'
  /** The response exceeds the reader's limit. */
  | 'ERR_OUTBOUND_TOO_LARGE'
  | 'ERR_OUTBOUND_CLOSED';

/**
 * A request without a response. The message contains the origin and the reason, never a header, a body or a
 * key.
 */
export class OutboundError extends CodedError<OutboundErrorCode> {}

/** Reads a whole response body. Throws `ERR_OUTBOUND_TOO_LARGE` above `limitBytes`. */
export async function readOutbound(
  { body }: Pick<OutboundResponse, 'body'>,
  limitBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limitBytes)
      throw new OutboundError('ERR_OUTBOUND_TOO_LARGE', `the response is larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
