import { createHash } from 'node:crypto';
import type { BodySink, HttpHeaders } from './message.ts';
import { upgradeOf } from './upgrade.ts';

/**
 * Type of the messages that the server sends. This module is the server side of WebSockets (RFC 6455) for
 * data in one direction, without extensions.
 */

export type MessageForm = 'text' | 'binary';

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const KNOWN = new Set([0, TEXT, BINARY, CLOSE, PING, PONG]);
const NORMAL = 1000;
const PROTOCOL_ERROR = 1002;
const CONTROL_BYTES = 125;
const MASK_BYTES = 4;
const ACCEPT_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** True if a request requests an upgrade to a WebSocket (section 4.2.1). */
export const asksForWebSocket = (headers: HttpHeaders): boolean =>
  upgradeOf(headers)?.toLowerCase() === 'websocket';

/** Returns the value of `Sec-WebSocket-Accept` for a `Sec-WebSocket-Key` (section 4.2.2). */
export const webSocketAccept = (key: string): string =>
  createHash('sha1').update(`${key}${ACCEPT_GUID}`).digest('base64');

/**
 * Creates the sink of an upgraded connection, where each chunk is one message. The client's data in `spoken`
 * is discarded, except pings, which receive a pong, and a close frame, which ends the connection.
 */
export function createWebSocketSink(
  connection: BodySink,
  spoken: AsyncIterable<Uint8Array>,
  form: MessageForm,
): BodySink {
  const socket = new WebSocketSink(connection, form === 'text' ? TEXT : BINARY);
  void socket.listen(spoken);
  return socket;
}

class WebSocketSink implements BodySink {
  readonly #connection: BodySink;
  readonly #opcode: number;
  #ended = false;
  /** True while the client reads too slowly. */
  #full = false;

  constructor(connection: BodySink, opcode: number) {
    this.#connection = connection;
    this.#opcode = opcode;
  }

  get closed(): boolean {
    return this.#ended || this.#connection.closed;
  }

  write(message: Uint8Array): boolean {
    return !this.closed && this.#send(this.#opcode, message);
  }

  onDrain(run: () => void): void {
    this.#connection.onDrain(run);
  }

  onClose(run: () => void): void {
    this.#connection.onClose(run);
  }

  end(): void {
    this.#close(status(NORMAL));
  }

  cut(): void {
    this.#connection.cut?.();
  }

  async listen(spoken: AsyncIterable<Uint8Array>): Promise<void> {
    const frames = new FrameReader();
    try {
      // Data is read to its end even after a close frame, as only the end shows that the client has closed
      // the connection.
      for await (const chunk of spoken) for (const frame of frames.read(chunk)) this.#receive(frame);
    } catch {
      // A broken connection is handled like a closed one.
    }
    this.end();
  }

  #receive(frame: ControlFrame): void {
    if (frame === 'fault') return this.#close(status(PROTOCOL_ERROR));
    const { opcode, payload } = frame;
    // The status code is echoed (section 5.5.1); the reason may be dropped.
    if (opcode === CLOSE) this.#close(payload.subarray(0, 2));
    // One pong for the latest of several pings is enough (section 5.5.3), so that no pongs accumulate for a
    // slow reader.
    else if (opcode === PING && !this.closed && !this.#full) this.#send(PONG, payload);
  }

  #close(payload: Uint8Array): void {
    if (this.closed) return;
    this.#send(CLOSE, payload);
    this.#ended = true;
    this.#connection.end();
  }

  #send(opcode: number, payload: Uint8Array): boolean {
    const taken = this.#connection.write(frameOf(opcode, payload));
    if (!taken && !this.#full) {
      this.#full = true;
      this.#connection.onDrain(() => (this.#full = false));
    }
    return taken;
  }
}

function status(code: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(code);
  return bytes;
}

/** Encodes a message as one frame without a mask, as required of servers. */
function frameOf(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const head = length <= CONTROL_BYTES ? 2 : length < 0x1_0000 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x80 | opcode;
  frame[1] = head === 2 ? length : head === 4 ? 126 : 127;
  if (head === 4) frame.writeUInt16BE(length, 2);
  else if (head === 10) frame.writeBigUInt64BE(BigInt(length), 2);
  frame.set(payload, head);
  return frame;
}

/** Control frame, or `fault` for an invalid frame. */
type ControlFrame = { readonly opcode: number; readonly payload: Uint8Array } | 'fault';

interface Head {
  readonly opcode: number;
  /** Size of the header in bytes, including the mask. */
  readonly size: number;
  readonly length: number;
}

/** Parser of frames in a byte stream. It skips data frames of any length and returns control frames. */
class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  #skipping = 0;
  #faulty = false;

  *read(chunk: Uint8Array): Generator<ControlFrame> {
    let bytes = Buffer.concat([this.#rest, chunk]);
    while (bytes.length > 0 && !this.#faulty) {
      if (this.#skipping > 0) {
        const passed = Math.min(this.#skipping, bytes.length);
        this.#skipping -= passed;
        bytes = bytes.subarray(passed);
        continue;
      }
      const head = headOf(bytes);
      if (head === undefined) break;
      if (head === 'fault') {
        this.#faulty = true;
        yield head;
        break;
      }
      const { opcode, size, length } = head;
      if (opcode < CLOSE) this.#skipping = length;
      else if (bytes.length < size + length) break;
      else yield { opcode, payload: unmasked(bytes.subarray(size - MASK_BYTES, size + length)) };
      bytes = bytes.subarray(opcode < CLOSE ? size : size + length);
    }
    this.#rest = this.#faulty ? Buffer.alloc(0) : Buffer.from(bytes);
  }
}

/** Parses the header of a frame. Returns undefined if the header is incomplete. */
function headOf(bytes: Buffer): Head | 'fault' | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const opcode = first & 0x0f;
  const short = second & 0x7f;
  const isControl = opcode >= CLOSE;
  const isWhole = (first & 0x80) !== 0;
  const hasExtension = (first & 0x70) !== 0;
  const isMasked = (second & 0x80) !== 0;
  if (hasExtension || !isMasked || !KNOWN.has(opcode)) return 'fault';
  if (isControl && (!isWhole || short > CONTROL_BYTES)) return 'fault';
  const size = (short === 126 ? 4 : short === 127 ? 10 : 2) + MASK_BYTES;
  if (bytes.length < size) return undefined;
  if (short < 126) return { opcode, size, length: short };
  const length = short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return length > Number.MAX_SAFE_INTEGER ? 'fault' : { opcode, size, length };
}

/** Returns the payload without its mask. */
function unmasked(masked: Buffer): Uint8Array {
  const mask = masked.subarray(0, MASK_BYTES);
  return masked.subarray(MASK_BYTES).map((byte, at) => byte ^ (mask[at % MASK_BYTES] ?? 0));
}
