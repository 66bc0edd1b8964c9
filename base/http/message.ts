import type { X509Certificate } from 'node:crypto';
import type { Cancellation } from '../async/cancellation.ts';
import type { Soon } from '../async/soon.ts';

/**
 * HTTP request as a value. Such messages are passed between the listener, or the in-memory transport, and the
 * API server, and between a client and its transport. Neither side knows whether there is a socket.
 */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly url: string;
  /** Header names in lower case, values in order. A repeated header has several values. */
  readonly headers: HttpHeaders;
  /**
   * Reads the whole body, which may be empty. Rejects with `BodyTooLarge` if the body is larger than
   * `limitBytes`.
   */
  body(limitBytes: number): Promise<Uint8Array>;
  /**
   * Streams the body, as an alternative to `body`. Leaving the loop discards the remaining data. After a 101
   * response, the stream contains the peer's data in the new protocol.
   */
  stream?(): AsyncIterable<Uint8Array>;
  /** Aborts if the peer disconnects or `abort` is called. */
  readonly signal: AbortSignal;
  /** Cancellation for code that checks instead of listening. If undefined, `signal` is used. */
  readonly cancellation?: Cancellation;
  /** Aborts the work even though the peer is still connected, for example after a timeout. */
  abort?(reason: Error): void;
  /** Breaks the connection like a network failure; the peer receives no further data. */
  drop?(): void;
  /**
   * Calls `run` once after the response was sent or the peer disconnected, or immediately if this has already
   * happened.
   */
  onClose?(run: () => void): void;
  readonly peer: HttpPeer;
}

/** Remote side of a connection. */
export interface HttpPeer {
  readonly address: string;
  /** Client certificate of a TLS peer. It is not verified; authentication verifies it. */
  readonly certificate?: X509Certificate;
  /** Other certificates that the peer has sent, starting with the issuer of the client certificate. */
  readonly intermediates?: readonly X509Certificate[];
}

/** Headers by lower-case name. */
export type HttpHeaders = Readonly<Record<string, readonly string[]>>;

/** Destination of a streamed body. Each chunk is written whole. */
export interface BodySink {
  /**
   * Writes a chunk. Returns false if the peer reads too slowly; the writer should then wait for `onDrain`.
   */
  write(chunk: Uint8Array): boolean;
  onDrain(run: () => void): void;
  /** Calls `run` once after the end of the body or a disconnect of the peer. */
  onClose(run: () => void): void;
  end(): void;
  /** Aborts a body that cannot be completed, so that the peer does not treat the body as complete. */
  cut?(): void;
  readonly closed: boolean;
}

/** Whole body, its chunks, or a function that streams the body. */
export type HttpBody = Uint8Array | readonly Uint8Array[] | ((sink: BodySink) => void);

/** HTTP response as a value. With status 101, the streamed body is data in the agreed protocol. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: HttpBody;
}

/** Server as a function. It never throws or rejects because of the content of a request. */
export type HttpHandler = (request: HttpRequest) => Soon<HttpResponse>;

/** Returns the request with other headers. Body, signal and peer are those of `request`. */
export function withHeaders(request: HttpRequest, headers: HttpHeaders): HttpRequest {
  const { stream, abort, drop, onClose } = request;
  return {
    method: request.method,
    url: request.url,
    headers,
    body: (limitBytes) => request.body(limitBytes),
    ...(stream && { stream: () => stream.call(request) }),
    get signal() {
      return request.signal;
    },
    get cancellation() {
      return request.cancellation ?? request.signal;
    },
    ...(abort && { abort: (reason: Error) => abort.call(request, reason) }),
    ...(drop && { drop: () => drop.call(request) }),
    ...(onClose && { onClose: (run: () => void) => onClose.call(request, run) }),
    get peer() {
      return request.peer;
    },
  };
}

/** Returns the first value of a header. */
export const firstHeader = (headers: HttpHeaders, name: string): string | undefined => headers[name]?.[0];

/** Error for a body that is larger than the reader's limit. */
export class BodyTooLarge extends Error {
  readonly limitBytes: number;
  constructor(limitBytes: number) {
    super(`request body is larger than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}
