import type { LinkedSignal } from '../../base/async/index.ts';

/** Transport of a client's requests, over sockets (undici) or to an API server in the same process. */
export interface Transport {
  /**
   * Sends a request. Rejects with the signal's reason if the signal aborts, with a `ClientError` if there is
   * no response.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}

/** One request. */
export interface TransportRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * Signal that aborts the request. The client passes linked signals, because few of them need an
   * `AbortSignal`.
   */
  readonly signal?: AbortSignal | LinkedSignal;
  /** Signal that the caller passed to the client and that identifies the caller. `signal` aborts with it. */
  readonly caller?: AbortSignal;
  /** True for a stream such as a watch, which has its own connection. */
  readonly streaming?: boolean;
  /**
   * Time limit for the response headers in milliseconds. The client enforces it. A transport whose
   * default limit is lower must raise that limit to this value.
   */
  readonly headersTimeoutMs: number;
  /**
   * Maximum size of the body in bytes. The client enforces it. A transport that buffers bodies of another
   * process must reject a larger body with `responseTooLarge`.
   */
  readonly limitBytes?: number;
}

/** A response with a streamed or complete body. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Chunks of the body. Leaving the loop early ends the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A complete body, which a reader can use without collecting chunks. */
export class WholeBody implements AsyncIterable<Uint8Array> {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield this.bytes;
  }
}
