import { CodedError } from '../errors/coded.ts';
import type { HttpHeaders } from './message.ts';

/**
 * Client for requests that the server itself sends, to webhooks, aggregated servers and token issuers. It
 * never follows redirects, so that a peer cannot redirect requests with the server's credentials to another
 * host.
 */
export interface Outbound {
  /**
   * Sends a request. Rejects with the reason of the signal if the signal aborts, and with `OutboundError` if
   * there is no response.
   */
  send(peer: OutboundPeer, request: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

/** Peer and the settings to verify its certificate. Each distinct peer has separate connections. */
export interface OutboundPeer {
  /** Origin such as `https://host:port`, without path. */
  readonly origin: string;
  /** Trusted certificate authorities in PEM. The default is those of the system. */
  readonly ca?: string;
  /** Host name for SNI and certificate verification. The default is the host of `origin`. */
  readonly serverName?: string;
  /** True to accept a peer without verifying its certificate. The default is false. */
  readonly insecureSkipVerify?: boolean;
  /** Client certificate in PEM; `key` is its private key in PEM. */
  readonly certificate?: string;
  readonly key?: string;
}

/** Request to a peer. */
export interface OutboundRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Request body. The chunks of an iterable are read at the speed of the peer. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  /** Timeout for the response headers in milliseconds; 0 for no timeout. */
  readonly headersTimeoutMs: number;
  /** True for a stream such as a watch. */
  readonly streaming?: boolean;
  /**
   * Protocol to switch to, for the `Upgrade` header (RFC 9110, section 7.8). After a 101 response, `body` is
   * sent to the peer while the response body contains the peer's data. After any other response, `body` is
   * not read.
   */
  readonly upgrade?: string;
}

/** Response with a streamed body. */
export interface OutboundResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Chunks of the body. Leaving the loop closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Reasons why there is no response. */
export type OutboundErrorCode =
  /** There was no connection, or the connection ended too early. */
  | 'ERR_OUTBOUND_CONNECTION'
  /** The certificate of the peer could not be verified, or the peer rejected the client certificate. */
  | 'ERR_OUTBOUND_TLS'
  | 'ERR_OUTBOUND_TIMEOUT'
  /** The request has an invalid header or origin. */
  | 'ERR_OUTBOUND_REQUEST'
  /** A client chose an address to which connections are forbidden. */
  | 'ERR_OUTBOUND_ADDRESS'
  /** The response exceeds the reader's limit. */
  | 'ERR_OUTBOUND_TOO_LARGE'
  | 'ERR_OUTBOUND_CLOSED';

/**
 * Error for a request without a response. The message contains the origin and the reason, never a header, a
 * body or a key.
 */
export class OutboundError extends CodedError<OutboundErrorCode> {}

/** Reads a whole response body. Throws `ERR_OUTBOUND_TOO_LARGE` if the body is larger than `limitBytes`. */
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
