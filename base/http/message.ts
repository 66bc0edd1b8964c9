import type { X509Certificate } from 'node:crypto';
import type { Cancellation } from '../async/cancellation.ts';
import type { Soon } from '../async/soon.ts';

/**
 * HTTP as values, between the listener (or the in-memory twin) and the API server, and between the client and its
 * transport. Neither side knows whether a socket lies in between.
 */
export interface HttpRequest {
  readonly method: string;
  /** Path with query, as on the request line. */
  readonly url: string;
  /** Names in lower case, values in order of appearance; a header that came three times has three values. */
  readonly headers: HttpHeaders;
  /** The whole body; empty when there is none. */
  body(limitBytes: number): Promise<Uint8Array>;
  /**
   * The body as it comes, for who hands it on; instead of `body`, never besides. Leaving the loop drops the rest. Of a request
   * for another protocol, once it is answered with 101, what the peer says from then on.
   */
  stream?(): AsyncIterable<Uint8Array>;
  /** Aborts when the peer goes away, or by `abort`. */
  readonly signal: AbortSignal;
  /** The same for who need not be told at once; default the signal. */
  readonly cancellation?: Cancellation;
  /** Says that nobody waits for the work any longer though the peer is still there: time is up. */
  abort?(reason: Error): void;
  /** Breaks the connection off as a network would: the peer hears nothing more, whatever is answered later. */
  drop?(): void;
  /** Runs once, when the answer is out or the peer has gone; at once when that was before. */
  onClose?(run: () => void): void;
  readonly peer: HttpPeer;
}

export interface HttpPeer {
  readonly address: string;
  /** The client certificate of a TLS peer that showed one. Not verified: authentication does that. */
  readonly certificate?: X509Certificate;
  /** Further certificates the peer sent, leaf's issuer first. */
  readonly intermediates?: readonly X509Certificate[];
}

export type HttpHeaders = Readonly<Record<string, readonly string[]>>;

/** Where a streamed body is written. Frames are written whole. */
export interface BodySink {
  /** False when the peer reads slower than it is written to: wait for `onDrain` before the next write. */
  write(chunk: Uint8Array): boolean;
  onDrain(run: () => void): void;
  /** Runs once, when the body has ended or the peer has gone. */
  onClose(run: () => void): void;
  end(): void;
  /** Breaks off what cannot be ended: the peer must not take the part for the whole. */
  cut?(): void;
  readonly closed: boolean;
}

export type HttpBody = Uint8Array | readonly Uint8Array[] | ((sink: BodySink) => void);

/** With status 101 the streamed body is what is said in the protocol that was agreed on. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: HttpBody;
}

/** A server as a function. Never throws or rejects for what a request holds; that would be a defect. */
export type HttpHandler = (request: HttpRequest) => Soon<HttpResponse>;

/** The same request with other headers: body, signal and peer stay those of `request`. */
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

export const firstHeader = (headers: HttpHeaders, name: string): string | undefined => headers[name]?.[0];

/** The body was larger than the reader takes. */
export class BodyTooLarge extends Error {
  readonly limitBytes: number;
  constructor(limitBytes: number) {
    super(`request body is larger than ${limitBytes} bytes`);
    this.limitBytes = limitBytes;
  }
}
