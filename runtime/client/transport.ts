import type { LinkedSignal } from './deadline.ts';

/**
 * Where a client's requests go: a socket (undici), or an API server in the same process. The client's only way out.
 */
export interface Transport {
  /** Rejects with the signal's reason when it aborts, with a `ClientError` when there is no answer. */
  send(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}

export interface TransportRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** `onAbort` follows either. The client's own are linked signals: of those, few are ever asked for an `AbortSignal`. */
  readonly signal?: AbortSignal | LinkedSignal;
  /** The signal of whoever asked the client, by which it is known whose request this is; `signal` ends with it. */
  readonly caller?: AbortSignal;
  /** The answer goes on for as long as the server likes (a watch): it gets a connection beside those of other requests. */
  readonly streaming?: boolean;
  /**
   * Milliseconds until the answer's head must be there. The client keeps this time itself; a transport needs it where
   * it would give up earlier of its own accord.
   */
  readonly headersTimeoutMs: number;
  /**
   * Bytes of the answer's body that are wanted at most. The client keeps this limit itself; a transport needs it where it
   * gathers a body that is none of its own process, and rejects with `answerTooLarge` above it.
   */
  readonly limitBytes?: number;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Chunks as they come; leaving the loop gives the connection up. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A body all of which is there already: who wants it whole need not gather it. */
export class WholeBody implements AsyncIterable<Uint8Array> {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    yield this.bytes;
  }
}
