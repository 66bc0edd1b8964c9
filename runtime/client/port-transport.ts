import type { MessagePort } from 'node:worker_threads';
import { Slots } from '../../base/collections/slots.ts';
import {
  type Batch,
  type FromClient,
  type FromServer,
  Outbox,
  unpack,
} from '../../base/http/port-messages.ts';
import { ClientError } from './client-error.ts';
import { onAbort } from './deadline.ts';
import { type Transport, type TransportRequest, type TransportResponse, WholeBody } from './transport.ts';

/** A streamed body's reader says what it has taken once it is this much: half of what a server sends ahead by default. */
const TELL_BYTES = 32 * 1024;

/**
 * A server in another thread of the process, asked over a port that is served there (`servePort`). Takes the port: closes
 * it with itself.
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
    port.once('close', () => this.#end(new ClientError('ERR_CONNECTION', 'the server has gone')));
  }

  send({ method, path, headers, body, signal }: TransportRequest): Promise<TransportResponse> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    // Nothing was sent.
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
    request?.hear(message, body);
  }

  #end(why: ClientError): void {
    if (this.#over !== undefined) return;
    this.#over = why;
    for (const request of this.#open.values()) request.fail(why);
  }
}

/** What a request says to its server while it is answered. */
interface Line {
  cancel(): void;
  taken(bytes: number): void;
}

/** A request, and the reader of its answer where that is streamed. */
class OpenRequest {
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #line: Line;
  readonly #release: (() => void) | undefined;
  readonly #chunks: Uint8Array[] = [];
  /** The last of the answer has come, or nobody waits for it. */
  #over = false;
  #failure: { readonly reason: unknown } | undefined;
  #untold = 0;
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

  hear(message: FromServer, body: Uint8Array): void {
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

  /** What is still to be read is not. */
  fail(reason: unknown): void {
    if (this.#over) return;
    this.#finish();
    this.#failure = { reason };
    this.#chunks.length = 0;
    this.#reject(reason);
    this.#awaken();
  }

  /** The body as its reader's loop sees it. A loop that is left early hangs up. */
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
      this.#leave(new ClientError('ERR_CLOSED', 'the reader hung up'));
    }
  }

  #taken(bytes: number): void {
    this.#untold += bytes;
    if (this.#over || this.#untold < TELL_BYTES) return;
    this.#line.taken(this.#untold);
    this.#untold = 0;
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
