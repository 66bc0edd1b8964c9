import type { X509Certificate } from 'node:crypto';
import type { Cancellation } from '../async/cancellation.ts';
import type { Soon } from '../async/soon.ts';

/**
 * HTTP messages as values, between the listener (or the in-memory transport) and the API server, and between
 * the client and its transport. Neither side knows whether there is a socket.
 */
export interface HttpRequest {
  readonly method: string;
  /** Path with query, as in the request line. */
  readonly url: string;
  /** Names in lower case, values in order; a repeated header has several values. */
  readonly headers: HttpHeaders;
  /** Reads the whole body, which may be empty. Rejects with `BodyTooLarge` above `limitBytes`. */
  body(limitBytes: number): Promise<Uint8Array>;
  /**
   * Streams the body, as an alternative to `body`. Leaving the loop drops the rest. After a 101 response it
   * yields the peer's data in the new protocol.
   */
  stream?(): AsyncIterable<Uint8Array>;
  /** Aborts on a disconnect of the peer or by `abort`. */
  readonly signal: AbortSignal;
  /** The same for code that checks instead of listening; default the signal. */
  readonly cancellation?: Cancellation;
  /** Aborts the work although the peer is still connected, after a timeout. */
  abort?(reason: Error): void;
  /** Breaks the connection like a network failure; the peer receives nothing more. */
  drop?(): void;
  /** Runs once after the response was sent or the peer disconnected; at once if that has happened. */
  onClose?(run: () => void): void;
  readonly peer: HttpPeer;
}

/** The other end of a connection. */
export interface HttpPeer {
  readonly address: string;
  /** Client certificate of a TLS peer, not verified; authentication verifies it. */
  readonly certificate?: X509Certificate;
  /** Further certificates sent by the peer, the issuer of the leaf first. */
  readonly intermediates?: readonly X509Certificate[];
}

/** Headers by lower-case name. */
export type HttpHeaders = Readonly<Record<string, readonly string[]>>;

/** The destination of a streamed body. Frames are written whole. */
export interface BodySink {
  /** Writes a chunk. Returns false if the peer reads too slowly: wait for `onDrain` before the next write. */
  write(chunk: Uint8Array): boolean;
  onDrain(run: () => void): void;
  /** Runs once after the end of the body or a disconnect of the peer. */
  onClose(run: () => void): void;
  end(): void;
  /** Breaks off a body that cannot be completed, so that the peer does not treat it as whole. */
  cut?(): void;
  readonly closed: boolean;
}

/** A whole body, its chunks, or a function that streams it. */
export type HttpBody = Uint8Array | readonly Uint8Array[] | ((sink: BodySink) => void);

/** A response. With status 101 the streamed body is data of the agreed protocol. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: HttpBody;
}

/** A server as a function. It never throws or rejects because of a request's content. */
export type HttpHandler = (request: HttpRequest) => Soon<HttpResponse>;

/** Returns the request with other headers; body, signal and peer are those of `request`. */
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

/** A body above the reader's limit. */
export class BodyTooLarge extends Error {
  readonly limitBytes: number;
  constructor(limitBytes: number) {
    super(`request body is larger than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}
