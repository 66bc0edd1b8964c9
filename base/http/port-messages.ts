import type { MessagePort } from 'node:worker_threads';

/*
 * HTTP between two threads of a process. Each side gathers what it says in one turn of its event loop, and posts it as one
 * batch, or several where it is much. A request has a number, which is free again once its last answer message has come:
 * the server says exactly one of those, also about a request that was cancelled.
 */

export type FromClient =
  | {
      readonly kind: 'request';
      readonly number: number;
      readonly method: string;
      /** Path with query. */
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Nobody waits for the answer any longer. */
  | { readonly kind: 'cancel'; readonly number: number }
  /** The reader has taken so many bytes of a streamed body: as many more may come. */
  | { readonly kind: 'taken'; readonly number: number; readonly bytes: number };

interface Head {
  readonly number: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export type FromServer =
  /** The whole answer, its body with it. The last. */
  | ({ readonly kind: 'answer' } & Head)
  /** The beginning of an answer that is streamed: chunks and one of the last two follow. */
  | ({ readonly kind: 'head' } & Head)
  | { readonly kind: 'chunk'; readonly number: number }
  /** The body is complete, or whoever asked has cancelled. The last. */
  | { readonly kind: 'end'; readonly number: number }
  /** There is no answer, or no more of one. The last. */
  | { readonly kind: 'broken'; readonly number: number; readonly message: string };

export type Body = string | Uint8Array | readonly Uint8Array[];

/** What is said in one turn, or a part of it; the bytes of all bodies lie one after the other. */
export interface Batch<Message> {
  readonly messages: readonly Message[];
  /** How long the body of each message is. */
  readonly lengths: readonly number[];
  readonly bytes?: Uint8Array;
}

const NOTHING = new Uint8Array();

/** Messages of a batch that is posted before the turn is over: the other thread has something to do meanwhile. */
const FULL = 50;

/** Posts batches. The bytes are handed over with them and copied by nobody on the way. */
export class Outbox<Message> {
  readonly #port: Pick<MessagePort, 'postMessage'>;
  #messages: Message[] = [];
  #bodies: Body[] = [];

  constructor(port: Pick<MessagePort, 'postMessage'>) {
    this.#port = port;
  }

  /** The bytes of `body` must not change before the turn is over. */
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
    // Not from the pool, whose memory is everyone's: what is handed over is gone here.
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

/** Where the bytes of `body` end. */
function write(body: Body, bytes: Buffer, at: number): number {
  if (typeof body === 'string') return at + bytes.write(body, at);
  let end = at;
  for (const chunk of body instanceof Uint8Array ? [body] : body) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return end;
}

/** Gives each message of a batch with its body, in the order in which they were said. */
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
