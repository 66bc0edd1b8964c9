import { STATUS_CODES, ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpResponse } from '../../../base/http/index.ts';

/** Headers that change how Node handles the response or the connection. */
const NODE_MUST_KNOW = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'expect',
  'date',
]);

/** HTTP/1.1 response that can be sent with a single write. */
export class DirectResponse extends ServerResponse {
  /**
   * True once the operating system has accepted a response sent by `sendWhole`. In some releases of Node,
   * `writableFinished` does not report this.
   */
  isSent = false;

  /**
   * Sends a whole response with one write and bypasses Node's stream layers, which take a sixth of the time
   * of a small request. Returns false and sends nothing if Node must send the response: the connection closes
   * after it, an earlier response is pending, or a header concerns the connection. Throws for headers that
   * HTTP does not allow.
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
      // On this event, Node proceeds to the next request of the connection.
      this.emit('finish');
    });
    return true;
  }

  /**
   * Returns the writer for the chunks of a body without a length, once the head is sent. Returns undefined if
   * Node must write the body: an earlier response is pending, or the client uses HTTP/1.0, which has no
   * chunks.
   */
  chunks(): ChunkedBody | undefined {
    const { socket } = this;
    return socket !== null && this.headersSent && this.chunkedEncoding ? new ChunkedBody(socket) : undefined;
  }
}

/**
 * Writer of a chunked body (https://www.rfc-editor.org/rfc/rfc9112#section-7.1) that bypasses Node's stream
 * layers. It writes one buffer for each chunk, where Node would join three in the next turn. A chunk sent to
 * many clients in succession, such as a watch event, is encoded once.
 */
export class ChunkedBody {
  readonly #socket: Socket;
  readonly #idleMs: number | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#idleMs = socket.timeout;
    // A connection with an open response is not idle, however long no chunk is written.
    socket.setTimeout(0);
  }

  /** Restores the idle timeout of the connection. */
  ended(): void {
    if (this.#idleMs !== undefined && !this.#socket.destroyed) this.#socket.setTimeout(this.#idleMs);
  }

  /** Writes a chunk. Returns false if the next chunk should wait for `drain`. */
  write(chunk: Uint8Array): boolean {
    const socket = this.#socket;
    // An empty chunk would end the body.
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

/** Maximum size, in bytes, of chunks that are copied into one buffer and shared. */
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

/** Returns the header lines, or undefined if Node must handle one of the headers. */
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

/** The last line of each header name. Most headers have the same value in every response. */
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

/** Returns the `date` line, which is created once a second. */
function dateLine(nowMs: number): string {
  const now = Math.floor(nowMs / 1000);
  if (now !== second) {
    second = now;
    date = `date: ${new Date(nowMs).toUTCString()}\r\n`;
  }
  return date;
}
