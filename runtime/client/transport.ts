/**
 * Where a client's requests go: a socket (undici), or an API server in the same process. The client's only way out.
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}

export interface TransportRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Milliseconds until the answer's head must be there. */
  readonly headersTimeoutMs: number;
}

export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Chunks as they come; leaving the loop gives the connection up. */
  readonly body: AsyncIterable<Uint8Array>;
}
