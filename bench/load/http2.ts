import type { Ask, Place } from './job.ts';
import { type Asker, type Connection, openSocket } from './connection.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;
const GOAWAY = 7;
const WINDOW_UPDATE = 8;
const END_STREAM = 1;
const END_HEADERS = 4;
const ACK = 1;
const LARGEST_WINDOW = 2 ** 31 - 1;

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, 9);
  return bytes;
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/**
 * Encodes a header by the index of its name in the static table, as a literal that is not added to the
 * dynamic table (RFC 7541, section 6.2.2).
 */
const header = (index: number, value: string): Buffer => {
  const name = index < 15 ? [index] : [15, index - 15];
  return Buffer.concat([Buffer.from([...name, value.length]), Buffer.from(value, 'latin1')]);
};

/** Encodes `:method: GET`, `:scheme: https`, `:authority`, `:path`, `accept` and `user-agent`. */
const headersOf = ({ path }: Ask): Buffer =>
  Buffer.concat([
    Buffer.from([0x82, 0x87]),
    header(1, 'localhost'),
    header(4, path),
    header(19, 'application/json'),
    header(58, 'load/1'),
  ]);

/**
 * Opens an HTTP/2 connection for GET requests. It counts frames without decoding them and uses the maximum
 * windows.
 */
export async function openHttp2(place: Place, asker: Asker): Promise<Connection> {
  const socket = await openSocket(place, 'h2');
  const settings = Buffer.from([0, 2, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff]);
  socket.write(PREFACE, 'latin1');
  socket.write(frame(SETTINGS, 0, 0, settings));
  socket.write(frame(WINDOW_UPDATE, 0, 0, uint32(LARGEST_WINDOW - 65_535)));
  let stream = 1;
  let taken = 0;
  let rest: Buffer = Buffer.alloc(0);

  const onFrame = (type: number, flags: number, payload: Buffer): void => {
    if (type === SETTINGS && (flags & ACK) === 0) socket.write(frame(SETTINGS, ACK, 0, Buffer.alloc(0)));
    else if (type === PING && (flags & ACK) === 0) socket.write(frame(PING, ACK, 0, payload));
    else if (type === GOAWAY || type === RST_STREAM) asker.onFailure(`frame of type ${type}`);
    else if (type === HEADERS && !saysOk(payload)) asker.onFailure('an answer is not 200');
    else if (type === DATA) taken += payload.length;
    if (taken > 2 ** 28) {
      socket.write(frame(WINDOW_UPDATE, 0, 0, uint32(taken)));
      taken = 0;
    }
    if ((type === DATA || type === HEADERS) && (flags & END_STREAM) !== 0) asker.onAnswer();
  };
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= 9) {
      const length = bytes.readUIntBE(at, 3);
      if (bytes.length - at < 9 + length) break;
      onFrame(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, bytes.subarray(at + 9, at + 9 + length));
      at += 9 + length;
    }
    rest = bytes.subarray(at);
  });
  socket.on('error', (error) => asker.onFailure(error.message));
  let known: { readonly path: string; readonly block: Buffer } | undefined;
  return {
    ask(ask) {
      if (known?.path !== ask.path) known = { path: ask.path, block: headersOf(ask) };
      socket.write(frame(HEADERS, END_HEADERS | END_STREAM, stream, known.block));
      stream += 2;
    },
    close: () => socket.destroy(),
  };
}

/**
 * True if the header block contains `:status: 200`, entry 8 of the static table. A table size update may
 * precede the entry.
 */
function saysOk(block: Buffer): boolean {
  let at = 0;
  while (((block[at] ?? 0) & 0xe0) === 0x20) {
    at += 1;
    if (((block[at - 1] ?? 0) & 0x1f) === 0x1f) while (((block[at++] ?? 0) & 0x80) !== 0);
  }
  return block[at] === 0x88;
}
