import type { MessagePort } from 'node:worker_threads';
import { onAbort } from '../../base/async/index.ts';
import { Slots } from '../../base/collections/index.ts';
import { type Batch, type FromClient, type FromServer, Outbox, unpack } from '../../base/http/index.ts';
import { ClientError } from './client-error.ts';
import { type Transport, type TransportRequest, type TransportResponse, WholeBody } from './transport.ts';

/**
 * Number of bytes after which the reader of a streamed body sends an acknowledgement: half of the server's
 * default window.
 */
const ACKNOWLEDGED_BYTES = 32 * 1024;

/**
 * Creates a transport over a message port to a server in another thread, which serves the port with
 * `servePort`. The transport owns the port and closes it.
 */
export function createPortTransport(port: MessagePort): Transport {
  return new PortTransport(port);
}

class PortTransport implements Transport {
  readonly #port: MessagePort;
  readonly #out: Outbox<FromClient>;
  readonly #open = new Slots<OpenRequest>();
  #over: ClientError | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    this.#out = new Outbox(port);
    port.on('message', (batch: Batch<FromServer>) =>
      unpack(batch, (message, body) => this.#take(message, body)),
    );
    port.once('close', () => this.#end(new ClientError('ERR_CONNECTION', 'the server closed the port')));
  }

  send({ method, path, headers, body, signal }: TransportRequest): Promise<TransportResponse> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    // No request can have reached the server, so the caller may retry writes.
    if (this.#over?.code === 'ERR_CONNECTION')
      return Promise.reject(new ClientError('ERR_UNREACHABLE', this.#over.message));
    if (this.#over !== undefined) return Promise.reject(this.#over);
    return new Promise((resolve, reject) => {
      const request: OpenRequest = new OpenRequest(resolve, reject, signal, {
        cancel: () => this.#out.post({ kind: 'cancel', number }),
        taken: (bytes) => this.#out.post({ kind: 'taken', number, bytes }),
      });
      const number = this.#open.add(request);
      this.#out.post({ kind: 'request', number, method, path, headers }, body);
    });
  }

  close(): Promise<void> {
    this.#end(new ClientError('ERR_CLOSED', 'the transport was closed'));
    this.#port.close();
    return Promise.resolve();
  }

  #take(message: FromServer, body: Uint8Array): void {
    const request = this.#open.get(message.number);
    if (message.kind !== 'head' && message.kind !== 'chunk') this.#open.free(message.number);
    request?.receive(message, body);
  }

  #end(why: ClientError): void {
    if (this.#over !== undefined) return;
    this.#over = why;
    for (const request of this.#open.values()) request.fail(why);
  }
}

/** Messages that a request sends to its server before the response is complete. */
interface Line {
  cancel(): void;
  taken(bytes: number): void;
}

/** A request, and the reader of its response if that is streamed. */
class OpenRequest {
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #line: Line;
  readonly #release: (() => void) | undefined;
  readonly #chunks: Uint8Array[] = [];
  /** True after the end of the response, a failure or an abort. */
  #over = false;
  #failure: { readonly reason: unknown } | undefined;
  #unacknowledged = 0;
  #wake: (() => void) | undefined;

  constructor(
    resolve: (response: TransportResponse) => void,
    reject: (reason: unknown) => void,
    signal: TransportRequest['signal'],
    line: Line,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#line = line;
    this.#release = signal && onAbort(signal, () => this.#leave(signal.reason));
  }

  receive(message: FromServer, body: Uint8Array): void {
    if (this.#over) return;
    switch (message.kind) {
      case 'answer':
        this.#finish();
        return this.#resolve({
          status: message.status,
          headers: message.headers,
          body: new WholeBody(body),
        });
      case 'head':
        return this.#resolve({ status: message.status, headers: message.headers, body: this.#read() });
      case 'chunk':
        this.#chunks.push(body);
        return this.#awaken();
      case 'end':
        this.#finish();
        return this.#awaken();
      case 'broken':
        return this.fail(new ClientError('ERR_CONNECTION', message.message));
    }
  }

  /** Ends the request with an error and drops unread chunks. */
  fail(reason: unknown): void {
    if (this.#over) return;
    this.#finish();
    this.#failure = { reason };
    this.#chunks.length = 0;
    this.#reject(reason);
    this.#awaken();
  }

  /** Returns the body as a stream. Leaving the loop early cancels the request. */
  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        while (this.#chunks.length === 0 && !this.#over)
          await new Promise<void>((resolve) => (this.#wake = resolve));
        if (this.#failure !== undefined) throw this.#failure.reason;
        const chunk = this.#chunks.shift();
        if (chunk === undefined) return;
        this.#taken(chunk.length);
        yield chunk;
      }
    } finally {
      this.#leave(new ClientError('ERR_CLOSED', 'the reader closed the stream'));
    }
  }

  #taken(bytes: number): void {
    this.#unacknowledged += bytes;
    if (this.#over || this.#unacknowledged < ACKNOWLEDGED_BYTES) return;
    this.#line.taken(this.#unacknowledged);
    this.#unacknowledged = 0;
  }

  #leave(reason: unknown): void {
    if (this.#over) return;
    this.#line.cancel();
    this.fail(reason);
  }

  #finish(): void {
    this.#over = true;
    this.#release?.();
  }

  #awaken(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
