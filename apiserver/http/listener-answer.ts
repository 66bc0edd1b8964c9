import { STATUS_CODES, ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpResponse } from '../../base/http/index.ts';

/** Headers by which Node does something else than it would have done. */
const NODE_MUST_KNOW = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'expect',
  'date',
]);

/** An HTTP/1.1 answer that can be sent whole. */
export class Http1Answer extends ServerResponse {
  /** The system has all of an answer that was sent whole. Node's own property does not say so in every release. */
  isSent = false;

  /**
   * Sends a whole answer with one write, past all that Node does for those that come bit by bit: a sixth of the time of a
   * small request. False, and nothing is sent, where Node is needed: the connection ends with this answer, an earlier one of
   * it is still due, or a header speaks of the connection. Throws for headers that HTTP does not allow.
   */
  sendWhole(
    { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
    chunks: readonly Uint8Array[],
    length: number,
    nowMs: number,
  ): boolean {
    const { socket } = this;
    if (socket === null || !this.shouldKeepAlive || this.headersSent) return false;
    const lines = linesOf(headers);
    if (lines === undefined) return false;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${lines}content-length: ${length}\r\n${dateLine(nowMs)}connection: keep-alive\r\n\r\n`;
    const message = Buffer.allocUnsafe(head.length + length);
    let at = message.write(head, 'latin1');
    for (const chunk of chunks) {
      message.set(chunk, at);
      at += chunk.length;
    }
    this.finished = true;
    socket.write(message, (error) => {
      if (error) return;
      this.isSent = true;
      // By this event Node goes on to the next request of the connection.
      this.emit('finish');
    });
    return true;
  }

  /**
   * Where the chunks of a body without a length go, once its head is out. Undefined where Node is needed: an earlier answer
   * of the connection is still due, or the client knows no chunks (HTTP/1.0).
   */
  chunks(): ChunkedBody | undefined {
    const { socket } = this;
    return socket !== null && this.headersSent && this.chunkedEncoding ? new ChunkedBody(socket) : undefined;
  }
}

/**
 * A body in chunks (RFC 9112, section 7.1), past Node's own layer: one write of one buffer in place of three that are put
 * together in the next turn. A chunk that many are sent one after the other, as watchers are, is made once.
 */
export class ChunkedBody {
  readonly #socket: Socket;
  readonly #idleMs: number | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#idleMs = socket.timeout;
    // A connection with an answer under way is not idle, however long it is silent.
    socket.setTimeout(0);
  }

  /** The connection may be idle again. */
  ended(): void {
    if (this.#idleMs !== undefined && !this.#socket.destroyed) this.#socket.setTimeout(this.#idleMs);
  }

  /** False when the next should wait for `drain`. */
  write(chunk: Uint8Array): boolean {
    const socket = this.#socket;
    // An empty one would be the last.
    if (chunk.length === 0) return !socket.writableNeedDrain;
    if (chunk.length <= SHARED) return socket.write(chunkOf(chunk));
    socket.cork();
    socket.write(sizeLine(chunk), 'latin1');
    socket.write(chunk);
    const room = socket.write('\r\n', 'latin1');
    socket.uncork();
    return room;
  }

  onDrain(run: () => void): void {
    this.#socket.once('drain', run);
  }
}

/** Bytes. Larger chunks are not copied. */
const SHARED = 64 * 1024;

let lastMade: { readonly of: Uint8Array; readonly chunk: Uint8Array } | undefined;

function chunkOf(bytes: Uint8Array): Uint8Array {
  if (lastMade?.of === bytes) return lastMade.chunk;
  const size = sizeLine(bytes);
  const chunk = Buffer.allocUnsafe(size.length + bytes.length + 2);
  chunk.set(bytes, chunk.write(size, 'latin1'));
  chunk.write('\r\n', size.length + bytes.length, 'latin1');
  lastMade = { of: bytes, chunk };
  return chunk;
}

const sizeLine = (chunk: Uint8Array): string => `${chunk.length.toString(16)}\r\n`;

/** Undefined where one of them is for Node. */
function linesOf(headers: HttpResponse['headers']): string | undefined {
  let lines = '';
  for (const name in headers) {
    if (name === 'content-length') continue;
    const value = headers[name] ?? '';
    for (const each of typeof value === 'string' ? [value] : value) {
      const line = lineOf(name, each);
      if (line === undefined) return undefined;
      lines += line;
    }
  }
  return lines;
}

/** Lines as they were written last, by name: most headers say again what they said before. */
const written = new Map<string, { readonly value: string; readonly line: string }>();
const MAX_WRITTEN = 100;

function lineOf(name: string, value: string): string | undefined {
  const last = written.get(name);
  if (last?.value === value) return last.line;
  if (NODE_MUST_KNOW.has(name)) return undefined;
  if (last === undefined) validateHeaderName(name);
  validateHeaderValue(name, value);
  const line = `${name}: ${value}\r\n`;
  if (last !== undefined || written.size < MAX_WRITTEN) written.set(name, { value, line });
  return line;
}

let second = Number.NaN;
let date = '';

/** Made once a second. */
function dateLine(nowMs: number): string {
  const now = Math.floor(nowMs / 1000);
  if (now !== second) {
    second = now;
    date = `date: ${new Date(nowMs).toUTCString()}\r\n`;
  }
  return date;
}
