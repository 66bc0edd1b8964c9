import type { LinkedSignal } from '../../base/async/index.ts';

/** Sends a client's requests: over sockets (undici), or to an API server in the same process. */
export interface Transport {
  /** Rejects with the signal's reason when it aborts, with a `ClientError` without a response. */
  send(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}

/** One request. */
export interface TransportRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborts the request. The client passes linked signals, few of which ever need an `AbortSignal`. */
  readonly signal?: AbortSignal | LinkedSignal;
  /** The signal passed to the client, which identifies the caller; `signal` follows it. */
  readonly caller?: AbortSignal;
  /** True for a stream such as a watch, which gets its own connection. */
  readonly streaming?: boolean;
  /**
   * Time limit for the response headers in milliseconds. The client enforces it; a transport needs it if its
   * own limit is lower.
   */
  readonly headersTimeoutMs: number;
  /**
   * Maximum size of the body in bytes. The client enforces it; a transport that buffers bodies of another
   * process must reject with `answerTooLarge` above it.
   */
  readonly limitBytes?: number;
}

/** A response with a streamed or complete body. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Chunks of the body; leaving the loop ends the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A complete body, which readers can use without collecting chunks. */
export class WholeBody implements AsyncIterable<Uint8Array> {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield this.bytes;
  }
}
