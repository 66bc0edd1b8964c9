import { describe, expect, it } from 'vitest';
import type { BodySink, HttpRequest, HttpResponse } from '../../base/http/message.ts';
import { logOverWebSocket, withoutUpgrade } from './log-socket.ts';

const handshake = (protocol?: string): HttpRequest => ({
  method: 'GET',
  url: '/api/v1/namespaces/a/pods/p/log',
  headers: {
    accept: ['*/*'],
    connection: ['Upgrade'],
    upgrade: ['websocket'],
    'sec-websocket-key': ['x3JJHMbDL1EzLkh9GBhXDw=='],
    'sec-websocket-version': ['13'],
    ...(protocol !== undefined && { 'sec-websocket-protocol': [protocol] }),
  },
  body: () => Promise.resolve(new Uint8Array()),
  async *stream() {},
  signal: new AbortController().signal,
  peer: { address: '10.0.0.9' },
});

/** Parses short unmasked frames, as a server sends them, into [opcode, payload]. */
function framesOf(bytes: Buffer): [number, string][] {
  const frames: [number, string][] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt8(at + 1);
    frames.push([bytes.readUInt8(at) & 0x0f, bytes.toString('latin1', at + 2, at + 2 + length)]);
    at += 2 + length;
  }
  return frames;
}

/** Returns the response and the bytes sent to a silent client until the log ends. */
async function sentTo(http: HttpRequest, log: HttpResponse): Promise<[HttpResponse, Buffer]> {
  const answer = logOverWebSocket(http, silent(), log);
  const written: Uint8Array[] = [];
  if (typeof answer.body !== 'function') throw new Error(`got a response with status ${answer.status}`);
  const { body } = answer;
  await new Promise<void>((resolve) => {
    let closed = false;
    const sink: BodySink = {
      write: (bytes) => (written.push(Buffer.from(bytes)), true),
      onDrain: () => {},
      onClose: () => {},
      end: () => {
        closed = true;
        resolve();
      },
      get closed() {
        return closed;
      },
    };
    body(sink);
  });
  return [answer, Buffer.concat(written)];
}

/** Returns the stream of a peer that never sends anything and never disconnects. */
const silent = (): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
});

const LOG: HttpResponse = {
  status: 200,
  headers: {},
  body: (sink) => {
    sink.write(Buffer.from('one\n'));
    sink.write(Buffer.from([0xff, 0x0a]));
    sink.end();
  },
};
const [TEXT, BINARY, CLOSE] = [1, 2, 8];
const NORMAL = '\u0003\u00e8';

describe('a log over a WebSocket', () => {
  it('sends an empty message, then each chunk as binary', async () => {
    const [answer, bytes] = await sentTo(handshake('binary.k8s.io'), LOG);
    expect(answer).toMatchObject({
      status: 101,
      headers: {
        upgrade: 'websocket',
        'sec-websocket-accept': 'HSmrc0sMlYUkAGmm5OPpG2HaGWk=',
        'sec-websocket-protocol': 'binary.k8s.io',
      },
    });
    expect(framesOf(bytes)).toEqual([
      [BINARY, ''],
      [BINARY, 'one\n'],
      [BINARY, '\u00ff\n'],
      [CLOSE, NORMAL],
    ]);
  });

  it('sends base64 messages as text if the subprotocol requests it', async () => {
    const [, bytes] = await sentTo(handshake('base64.binary.k8s.io'), LOG);
    expect(framesOf(bytes)).toEqual([
      [TEXT, ''],
      [TEXT, 'b25lCg=='],
      [TEXT, '/wo='],
      [CLOSE, NORMAL],
    ]);
  });

  it('sends a body that is already complete', async () => {
    const [, bytes] = await sentTo(handshake(), { ...LOG, body: Buffer.from('all') });
    expect(framesOf(bytes)).toEqual([
      [BINARY, ''],
      [BINARY, 'all'],
      [CLOSE, NORMAL],
    ]);
  });

  it('is requested from the node over plain HTTP', () => {
    expect(withoutUpgrade(handshake('binary.k8s.io'))).toMatchObject({
      method: 'GET',
      headers: { accept: ['*/*'] },
    });
    expect(Object.keys(withoutUpgrade(handshake()).headers)).toEqual(['accept']);
    expect(withoutUpgrade(handshake()).stream).toBeUndefined();
  });
});
