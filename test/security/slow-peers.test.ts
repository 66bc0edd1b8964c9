import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Listener, ListenerLimits } from '../../apiserver/http/listener/listener.ts';
import type { BodySink, HttpHandler } from '../../base/http/message.ts';
import { LONG } from '../long.ts';
import {
  connectTo,
  everythingFrom,
  listenTo,
  overHttp2,
  rawAnswer,
  sessionWith,
  statusesOf,
} from './listening.ts';

// Tests that peers that send slowly, read slowly or stay idle do not affect other peers.

const CONNECTIONS = LONG ? 10_000 : 500;
/** Number of connections of each process. Each connection needs a file descriptor. */
const PEERS_EACH = 5_000;
const SOON_MS = 5_000;

const running: Listener[] = [];
const open: { destroy(): void }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) each.destroy();
  for (const listener of running.splice(0)) await listener.stop();
});

/** Handler that returns the number of received body bytes. */
const counting: HttpHandler = async (request) => {
  const body = await request.body(1 << 20);
  return { status: 200, headers: {}, body: Buffer.from(String(body.length)) };
};

async function listen(handler: HttpHandler, limits: Partial<ListenerLimits> = {}): Promise<Listener> {
  const listener = await listenTo(handler, limits);
  running.push(listener);
  return listener;
}
async function connect(listener: Listener, protocol?: string): Promise<TLSSocket> {
  const socket = await connectTo(listener, protocol);
  open.push(socket);
  return socket;
}
async function session(listener: Listener) {
  const made = await sessionWith(listener);
  open.push(made);
  return made;
}
/** Fails if the emitter does not close in time. */
async function ended(emitter: NodeJS.EventEmitter): Promise<void> {
  await once(emitter, 'close', { signal: AbortSignal.timeout(SOON_MS) });
}
async function stillAnswers(listener: Listener): Promise<void> {
  const [status] = statusesOf(
    await rawAnswer(listener, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
  );
  expect(status).toBe(200);
}

describe('a peer over TCP', () => {
  it.each([
    ['says nothing', ''],
    ['begins to say who it is', '\x16\x03\x01\x02\x00'],
  ])('is disconnected if it %s and never completes the TLS handshake', async (_, said) => {
    const listener = await listen(counting, { handshakeMs: 100 });
    const { host, port } = listener.address();
    const socket = createConnection({ host, port });
    socket.resume();
    socket.write(said, 'latin1');
    await ended(socket);
  });
});

describe('a peer over HTTP/1.1', () => {
  it('is disconnected with 408 if it never completes its headers', async () => {
    const listener = await listen(counting, { headersMs: 100 });
    const socket = await connect(listener);
    const answer = everythingFrom(socket);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n');
    const dripping = setInterval(() => socket.writable && socket.write('X-A: b\r\n'), 20);
    try {
      expect(statusesOf(await answer)).toEqual([408]);
    } finally {
      clearInterval(dripping);
    }
  });

  it('is disconnected if it sends nothing', async () => {
    const listener = await listen(counting, { headersMs: 100 });
    const socket = await connect(listener);
    socket.resume();
    await ended(socket);
  });

  it('is disconnected with 408 if it never completes its body', async () => {
    const listener = await listen(counting, { headersMs: 100, requestMs: 200 });
    const socket = await connect(listener);
    const answer = everythingFrom(socket);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n');
    const dripping = setInterval(() => socket.writable && socket.write('x'), 20);
    try {
      expect(statusesOf(await answer)).toEqual([408]);
    } finally {
      clearInterval(dripping);
    }
  });

  it('is disconnected when idle after its response, but not while it waits for a response', async () => {
    let answer = (): void => {};
    const listener = await listen(
      ({ url }) =>
        url === '/soon'
          ? { status: 200, headers: {}, body: Buffer.from('soon') }
          : new Promise((resolve) => {
              answer = () => resolve({ status: 200, headers: {}, body: Buffer.from('at last') });
            }),
      { idleMs: 200 },
    );
    const [idle, waiting] = [await connect(listener), await connect(listener)];
    const [soon, late] = [everythingFrom(idle), everythingFrom(waiting)];
    idle.write('GET /soon HTTP/1.1\r\nHost: a\r\n\r\n');
    waiting.write('GET /late HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(statusesOf(await soon)).toEqual([200]);
    answer();
    expect(await late).toContain('at last');
  });
});

describe('a peer over HTTP/2', () => {
  it('is disconnected when idle, but not while it waits for a response', async () => {
    let answer = (): void => {};
    const listener = await listen(
      () =>
        new Promise((resolve) => {
          answer = () => resolve({ status: 200, headers: {}, body: Buffer.from('at last') });
        }),
      { idleMs: 200 },
    );
    const [idle, waiting] = [await session(listener), await session(listener)];
    const late = overHttp2(waiting, { ':path': '/' });
    await ended(idle);
    answer();
    expect(await late).toEqual({ status: 200, text: 'at last' });
  });

  it('keeps no stream after the response even if it never completes its body', async () => {
    const listener = await listen(async (request) => {
      const body = request.body(10).catch(() => undefined);
      const status = await Promise.race([body.then(() => 413), Promise.resolve(504)]);
      return { status, headers: {}, body: Buffer.from('late') };
    });
    const client = await session(listener);
    const stream = client.request({ ':method': 'POST', ':path': '/' }, { endStream: false });
    stream.on('error', () => {});
    stream.resume();
    stream.write('x');
    await ended(stream);
    expect(stream.rstCode).toBe(0);
  });

  it('is disconnected if it never completes its headers', async () => {
    const listener = await listen(counting, { idleMs: 200 });
    const socket = await connect(listener, 'h2');
    socket.resume();
    // Sends HEADERS without END_HEADERS, and no frame after it.
    socket.write(Buffer.concat([PREFACE, frame(4, 0, 0), frame(1, 0, 1, Buffer.from([0x82]))]));
    await ended(socket);
    await stillAnswers(listener);
  });
});

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** Returns a frame in wire format (RFC 9113, section 4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

describe('floods over HTTP/2', () => {
  it('with continuations are ended, and other clients get responses', async () => {
    let asked = 0;
    const listener = await listen((request) => {
      asked += 1;
      return counting(request);
    });
    const socket = await connect(listener, 'h2');
    socket.resume();
    socket.write(Buffer.concat([PREFACE, frame(4, 0, 0), frame(1, 0, 1, Buffer.from([0x82]))]));
    // The fields are literal fields without indexing.
    const field = Buffer.concat([
      Buffer.from([0x00, 0x01]),
      Buffer.from('a'),
      Buffer.from([0x7f, 0x81, 0x7e]),
      Buffer.alloc(16_384 - 6, 'b'),
    ]);
    const flood = Buffer.concat(Array.from({ length: 100 }, () => frame(9, 0, 1, field.subarray(0, 16_384))));
    socket.write(flood);
    await ended(socket);
    expect(asked).toBe(0);
    await stillAnswers(listener);
  });

  it('with cancelled requests are ended or endured, and other clients get responses', async () => {
    const listener = await listen(counting);
    const client = await session(listener);
    for (let round = 0; round < 20 && !client.closed; round++) {
      for (let i = 0; i < 100 && !client.closed; i++) {
        const stream = client.request({ ':path': '/' });
        stream.on('error', () => {});
        stream.close(8);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    await stillAnswers(listener);
  });

  it('with pings and settings are ended or endured, and other clients get responses', async () => {
    const listener = await listen(counting);
    const socket = await connect(listener, 'h2');
    socket.write(Buffer.concat([PREFACE, frame(4, 0, 0)]));
    const flood = Buffer.concat(
      Array.from({ length: 5_000 }, () => Buffer.concat([frame(6, 0, 0, Buffer.alloc(8)), frame(4, 0, 0)])),
    );
    const before = process.memoryUsage().rss;
    socket.write(flood);
    await stillAnswers(listener);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
  });
});

/** Opens connections from another process. Resolves with their number when all are open. */
async function idlePeers(listener: Listener, count: number): Promise<number> {
  const script = fileURLToPath(new URL('idle-peers.js', import.meta.url));
  const argv = [script, String(listener.address().port), String(count)];
  const peers = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  open.push({ destroy: () => void peers.kill() });
  const [said] = (await once(peers.stdout, 'data')) as [Buffer];
  return Number(said.toString());
}

describe(`${CONNECTIONS} idle connections`, () => {
  it('do not delay responses, and use bounded memory', async () => {
    const listener = await listen(counting);
    await stillAnswers(listener);
    const before = process.memoryUsage().rss;
    const opened = await Promise.all(
      Array.from({ length: Math.ceil(CONNECTIONS / PEERS_EACH) }, () =>
        idlePeers(listener, Math.min(CONNECTIONS, PEERS_EACH)),
      ),
    );
    expect(opened.reduce((sum, count) => sum + count, 0)).toBe(CONNECTIONS);
    const each = (process.memoryUsage().rss - before) / CONNECTIONS;
    expect(each).toBeLessThan(150 * 1024);
    const session = await sessionWith(listener);
    open.push(session);
    const waits: number[] = [];
    for (let asked = 0; asked < 200; asked++) {
      const started = performance.now();
      expect((await overHttp2(session, { ':path': '/' })).status).toBe(200);
      waits.push(performance.now() - started);
    }
    const [p99 = Infinity] = waits.sort((a, b) => b - a).slice(2, 3);
    expect(p99).toBeLessThan(100);
    await stillAnswers(listener);
    if (LONG)
      console.info(
        `${CONNECTIONS} idle connections: ${Math.round(each / 1024)} KiB each, p99 ${p99.toFixed(1)} ms`,
      );
  }, 300_000);
});

describe('a watcher that never reads', () => {
  /** Creates a handler that writes like a watch, frame by frame, until the sink applies backpressure. */
  function stuckStream(sinks: BodySink[]): HttpHandler {
    return async (request) => {
      if (request.url !== '/watch') return counting(request);
      return {
        status: 200,
        headers: {},
        body: (sink) => {
          sinks.push(sink);
          const frame = Buffer.alloc(64 * 1024, 'x');
          while (sink.write(frame));
        },
      };
    };
  }

  it.each(['http/1.1', 'h2'])('is disconnected after a timeout (%s)', async (protocol) => {
    const sinks: BodySink[] = [];
    const listener = await listen(stuckStream(sinks), { unreadMs: 200 });
    if (protocol === 'h2') {
      const client = await session(listener);
      const stream = client.request({ ':path': '/watch' });
      stream.on('error', () => {});
      await once(stream, 'response');
      // The response is not read, so flow control blocks the server.
      const [sink] = sinks;
      expect(sink?.closed).toBe(false);
      sink?.end();
      await expect.poll(() => sink?.closed, { timeout: SOON_MS }).toBe(true);
    } else {
      const socket = await connect(listener);
      socket.pause();
      socket.write('GET /watch HTTP/1.1\r\nHost: a\r\n\r\n');
      await expect.poll(() => sinks.length, { timeout: SOON_MS }).toBe(1);
      const [sink] = sinks;
      // The operating system buffers some megabytes before a write is blocked.
      for (let i = 0; i < 200 && sink?.write(Buffer.alloc(64 * 1024)) !== undefined; i++);
      sink?.end();
      await expect.poll(() => sink?.closed, { timeout: SOON_MS }).toBe(true);
    }
    await stillAnswers(listener);
  });
});
