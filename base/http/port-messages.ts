import type { MessagePort } from 'node:worker_threads';

/*
 * HTTP between two threads of a process. Each side collects the messages of one turn of its event loop and
 * posts them in one or more batches. The number of a request may be reused after the last message of its
 * response. The server sends exactly one last message, even for a cancelled request.
 */

/** Messages from the client to the server. */
export type FromClient =
  | {
      readonly kind: 'request';
      readonly number: number;
      readonly method: string;
      /** Path with query. */
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** The client no longer needs the response. */
  | { readonly kind: 'cancel'; readonly number: number }
  /** The reader has consumed `bytes` bytes of a streamed body, so the server may send as many more. */
  | { readonly kind: 'taken'; readonly number: number; readonly bytes: number };

interface Head {
  readonly number: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** Messages from the server to the client. */
export type FromServer =
  /** Whole response with its body. This is a last message. */
  | ({ readonly kind: 'answer' } & Head)
  /** Start of a streamed response. `chunk` messages and one `end` or `broken` message follow. */
  | ({ readonly kind: 'head' } & Head)
  | { readonly kind: 'chunk'; readonly number: number }
  /** End of a complete body, or confirmation of a cancellation. This is a last message. */
  | { readonly kind: 'end'; readonly number: number }
  /** Failure without a response, or with an incomplete one. This is a last message. */
  | { readonly kind: 'broken'; readonly number: number; readonly message: string };

export type Body = string | Uint8Array | readonly Uint8Array[];

/** Messages of one turn or a part of a turn, with the bytes of all bodies in sequence. */
export interface Batch<Message> {
  readonly messages: readonly Message[];
  /** Length of each message's body in bytes. */
  readonly lengths: readonly number[];
  readonly bytes?: Uint8Array;
}

const NOTHING = new Uint8Array();

/**
 * Number of messages after which a batch is posted before the end of the turn, so that the other thread can
 * start to work.
 */
const FULL = 50;

/** Sender of batches. The bytes of a batch are transferred without a copy. */
export class Outbox<Message> {
  readonly #port: Pick<MessagePort, 'postMessage'>;
  #messages: Message[] = [];
  #bodies: Body[] = [];

  constructor(port: Pick<MessagePort, 'postMessage'>) {
    this.#port = port;
  }

  /** Queues a message. The bytes of `body` must not change before the end of the turn. */
  post(message: Message, body: Body = NOTHING): void {
    if (this.#messages.length === 0) setImmediate(() => this.#send());
    this.#messages.push(message);
    this.#bodies.push(body);
    if (this.#messages.length === FULL) this.#send();
  }

  #send(): void {
    if (this.#messages.length === 0) return;
    const [messages, bodies] = [this.#messages, this.#bodies];
    this.#messages = [];
    this.#bodies = [];
    const lengths = bodies.map(lengthOf);
    const total = lengths.reduce((sum, length) => sum + length, 0);
    if (total === 0) return this.#port.postMessage({ messages, lengths } satisfies Batch<Message>);
    // The memory must not belong to Node's buffer pool, as it is detached by the transfer.
    const bytes = Buffer.allocUnsafeSlow(total);
    let at = 0;
    for (const body of bodies) at = write(body, bytes, at);
    this.#port.postMessage({ messages, lengths, bytes } satisfies Batch<Message>, [bytes.buffer]);
  }
}

function lengthOf(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.length : body.reduce((sum, { length }) => sum + length, 0);
}

/** Writes `body` at an offset and returns the offset after it. */
function write(body: Body, bytes: Buffer, at: number): number {
  if (typeof body === 'string') return at + bytes.write(body, at);
  let end = at;
  for (const chunk of body instanceof Uint8Array ? [body] : body) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return end;
}

/** Calls `take` with each message of a batch and its body, in order. */
export function unpack<Message>(
  { messages, lengths, bytes = NOTHING }: Batch<Message>,
  take: (message: Message, body: Uint8Array) => void,
): void {
  let at = 0;
  for (const [i, message] of messages.entries()) {
    const end = at + (lengths[i] ?? 0);
    take(message, end === at ? NOTHING : bytes.subarray(at, end));
    at = end;
  }
}
