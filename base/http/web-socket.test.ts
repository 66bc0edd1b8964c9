import { describe, expect, it } from 'vitest';
import type { BodySink } from './message.ts';
import { asksForWebSocket, createWebSocketSink, webSocketAccept } from './web-socket.ts';

const TEXT = 0x81;
const CLOSE = 0x88;
const PING = 0x89;
const PONG = 0x8a;
const MASK = [1, 2, 3, 4];

/** Encodes a frame with a mask, as required of clients. */
function masked(first: number, payload: string | Buffer): Buffer {
  const bytes = Buffer.from(payload);
  const { length } = bytes;
  const long = Buffer.alloc(length < 126 ? 0 : length < 65_536 ? 2 : 8);
  if (long.length === 2) long.writeUInt16BE(length);
  if (long.length === 8) long.writeBigUInt64BE(BigInt(length));
  const short = long.length === 0 ? length : long.length === 2 ? 126 : 127;
  const body = bytes.map((byte, at) => byte ^ (MASK[at % 4] ?? 0));
  return Buffer.concat([Buffer.from([first, 0x80 | short]), long, Buffer.from(MASK), body]);
}

const closing = (code: number): Buffer => Buffer.from([code >> 8, code & 0xff]);
const closed = (code: number): Buffer => Buffer.from([CLOSE, 2, code >> 8, code & 0xff]);

/** Creates a connection that accepts data until it is full. */
function createConnection() {
  const written: Buffer[] = [];
  const drains: (() => void)[] = [];
  const state = { ended: false, full: false };
  const sink: BodySink = {
    write(chunk) {
      written.push(Buffer.from(chunk));
      return !state.full;
    },
    onDrain: (run) => void drains.push(run),
    onClose: () => {},
    end: () => void (state.ended = true),
    get closed() {
      return state.ended;
    },
  };
  return { sink, written, drains, state };
}

/** Yields the data of the client. */
async function* saying(...chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Returns the frames that are sent in response to the client's data. */
async function framesFor(...chunks: readonly Buffer[]): Promise<Buffer[]> {
  const { sink, written, state } = createConnection();
  createWebSocketSink(sink, saying(...chunks), 'text');
  await expect.poll(() => state.ended).toBe(true);
  return written;
}

describe('WebSocket handshake', () => {
  it('returns the digest of RFC 6455, section 1.3', () => {
    expect(webSocketAccept('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
  });

  it.each([
    ['websocket', 'Upgrade', true],
    ['WebSocket', 'keep-alive, upgrade', true],
    ['websocket', 'keep-alive', false],
    ['websocket', 'upgrades', false],
    ['websocket', 'not upgrade', false],
    ['SPDY/3.1', 'Upgrade', false],
  ])('is requested by Upgrade: %s with Connection: %s: %s', (upgrade, connection, asks) => {
    expect(asksForWebSocket({ upgrade: [upgrade], connection: [connection] })).toBe(asks);
  });
});

describe('sent WebSocket message', () => {
  it.each([
    [5, [TEXT, 5]],
    [125, [TEXT, 125]],
    [126, [TEXT, 126, 0, 126]],
    [65_535, [TEXT, 126, 255, 255]],
    [65_536, [TEXT, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
  ])('with %i bytes is one frame', (length, head) => {
    const { sink, written } = createConnection();
    const socket = createWebSocketSink(sink, saying(), 'text');
    expect(socket.write(Buffer.alloc(length, 'x'))).toBe(true);
    expect([...(written[0]?.subarray(0, head.length) ?? [])]).toEqual(head);
    expect(written[0]).toHaveLength(head.length + length);
  });

  it('is binary if agreed, and returns the back-pressure of the connection', () => {
    const { sink, written, drains, state } = createConnection();
    const socket = createWebSocketSink(sink, saying(), 'binary');
    state.full = true;
    expect(socket.write(Buffer.from('a'))).toBe(false);
    expect(written).toEqual([Buffer.from([0x82, 1, 0x61])]);
    let hasDrained = false;
    socket.onDrain(() => (hasDrained = true));
    for (const drain of drains) drain();
    expect(hasDrained).toBe(true);
  });

  it('is dropped after the end, which sends one close frame', () => {
    const { sink, written, state } = createConnection();
    const socket = createWebSocketSink(sink, saying(), 'text');
    socket.end();
    socket.end();
    expect([socket.write(Buffer.from('a')), socket.closed, state.ended]).toEqual([false, true, true]);
    expect(written).toEqual([closed(1000)]);
  });
});

describe('data of a WebSocket client', () => {
  const pong = (text: string): Buffer => Buffer.concat([Buffer.from([PONG, text.length]), Buffer.from(text)]);

  it('is discarded at any length, except pings', async () => {
    const said = [
      masked(TEXT, 'ignored'),
      masked(0x02, Buffer.alloc(300)),
      masked(0x80, Buffer.alloc(70_000)),
      masked(PING, 'are you there'),
      masked(PONG, 'unasked'),
    ];
    expect(await framesFor(...said)).toEqual([pong('are you there'), closed(1000)]);
  });

  it('is parsed in chunks of any size', async () => {
    const bytes = Buffer.concat([masked(TEXT, 'x'.repeat(200)), masked(PING, 'a'), masked(PING, '')]);
    const pieces = [...bytes].map((byte) => Buffer.from([byte]));
    expect(await framesFor(...pieces)).toEqual([pong('a'), pong(''), closed(1000)]);
    expect(await framesFor(bytes)).toEqual([pong('a'), pong(''), closed(1000)]);
  });

  it.each([
    ['a status', closing(4001), closed(4001)],
    ['a status and a reason', Buffer.concat([closing(1001), Buffer.from('away')]), closed(1001)],
    ['an empty payload', Buffer.alloc(0), Buffer.from([CLOSE, 0])],
  ])('ends both directions with a close frame with %s', async (_name, payload, response) => {
    expect(await framesFor(masked(CLOSE, payload), masked(PING, 'late'))).toEqual([response]);
  });

  it.each([
    ['without a mask', Buffer.from([TEXT, 1, 0x61])],
    ['with an extension', masked(0xc1, 'a')],
    ['with an unknown opcode', masked(0x83, 'a')],
    ['with fragmented control data', masked(0x09, 'a')],
    ['with long control data', masked(PING, 'x'.repeat(126))],
    [
      'with a length above the safe integers',
      Buffer.from([TEXT, 0xff, 255, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4]),
    ],
  ])('causes a protocol error for a frame %s', async (_name, frame) => {
    expect(await framesFor(frame, masked(PING, 'late'))).toEqual([closed(1002)]);
  });

  it('receives no pong while the client does not read', async () => {
    const { sink, written, drains, state } = createConnection();
    state.full = true;
    const socket = createWebSocketSink(
      sink,
      (async function* () {
        yield masked(PING, '1');
        yield masked(PING, '2');
        state.full = false;
        for (const drain of drains.splice(0)) drain();
        yield masked(PING, '3');
      })(),
      'text',
    );
    await expect.poll(() => socket.closed).toBe(true);
    expect(written).toEqual([pong('1'), pong('3'), closed(1000)]);
  });

  it('ends with its connection, even if the connection breaks', async () => {
    const { sink, written, state } = createConnection();
    createWebSocketSink(
      sink,
      (async function* (): AsyncGenerator<Uint8Array> {
        yield masked(PING, '1');
        throw new Error('ECONNRESET');
      })(),
      'text',
    );
    await expect.poll(() => state.ended).toBe(true);
    expect(written).toEqual([pong('1'), closed(1000)]);
  });
});
