import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { BodySink, HttpHandler, HttpResponse } from '../../../base/http/message.ts';
import { connectTo, everythingFrom, listenTo, statusesOf } from '../../../test/security/listening.ts';
import type { Listener, ListenerLimits } from './listener.ts';

describe('a complete response over HTTP/1.1', () => {
  const running: Listener[] = [];
  afterEach(async () => {
    for (const listener of running.splice(0)) await listener.stop();
  });

  async function connected(handler: HttpHandler): Promise<TLSSocket> {
    const listener = await listenTo(handler);
    running.push(listener);
    return connectTo(listener);
  }
  const answering =
    (headers: HttpResponse['headers'] = {}): HttpHandler =>
    () => ({ status: 200, headers, body: Buffer.from('done\n') });

  it('has headers for length, date and keep-alive', async () => {
    const socket = await connected(answering({ 'content-type': 'text/plain', 'x-two': ['a', 'b'] }));
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString('latin1').replace(/^date: .*GMT$/m, 'date: D')).toBe(
      [
        'HTTP/1.1 200 OK',
        'content-type: text/plain',
        'x-two: a',
        'x-two: b',
        'content-length: 5',
        'date: D',
        'connection: keep-alive',
        '',
        'done\n',
      ].join('\r\n'),
    );
    socket.destroy();
  });

  it('is followed by the responses to pipelined requests in their order', async () => {
    let answerFirst = (): void => {};
    const socket = await connected(({ url }) => {
      const answer = { status: 200, headers: {}, body: Buffer.from(url) };
      if (url === '/3') answerFirst();
      if (url !== '/1') return answer;
      return new Promise((resolve) => (answerFirst = () => resolve(answer)));
    });
    const all = everythingFrom(socket);
    const request = (url: string, more = ''): string => `GET ${url} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    socket.write(request('/1') + request('/2') + request('/3', 'Connection: close\r\n'));
    expect((await all).match(/^\/\d/gm)).toEqual(['/1', '/2', '/3']);
  });

  it('discards an unread request body before the next request', async () => {
    const socket = await connected(answering());
    const all = everythingFrom(socket);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(statusesOf(await all)).toEqual([200, 200]);
  });

  it('has status 400 without a Host header (RFC 9112, section 3.2), except in HTTP/1.0', async () => {
    const statusOf = async (head: string): Promise<string> => {
      const socket = await connected(answering());
      const all = everythingFrom(socket);
      socket.write(`${head}\r\n\r\n`);
      return (await all).slice(0, 12);
    };
    expect(await statusOf('GET / HTTP/1.1')).toBe('HTTP/1.1 400');
    expect(await statusOf('GET / HTTP/1.0')).toBe('HTTP/1.1 200');
  });

  it('ends the connection if the client or the handler requests it', async () => {
    for (const [asked, headers] of [
      ['Connection: close\r\n', {}],
      ['', { connection: 'close' }],
    ] as const) {
      const socket = await connected(answering(headers));
      const all = everythingFrom(socket);
      socket.write(`GET / HTTP/1.1\r\nHost: a\r\n${asked}\r\n`);
      expect(statusesOf(await all)).toEqual([200]);
    }
  });

  it('has status 500 if a header contains a line break', async () => {
    const socket = await connected(answering({ 'x-name': 'a\r\nx-forged: b' }));
    const all = everythingFrom(socket);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive\r\n\r\n');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const text = await all;
    expect(statusesOf(text)).toEqual([500, 500]);
    expect(text).not.toContain('x-forged');
  });

  it('does not abort the signal of its request', async () => {
    let signal: AbortSignal | undefined;
    const closed = new Promise<void>((resolve) => {
      void connected((request) => {
        ({ signal } = request);
        request.onClose?.(resolve);
        return { status: 200, headers: {}, body: Buffer.from('done') };
      }).then((socket) => socket.resume().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    });
    await closed;
    expect(signal?.aborted).toBe(false);
  });
});

describe('a streamed response over HTTP/1.1', () => {
  const running: Listener[] = [];
  afterEach(async () => {
    for (const listener of running.splice(0)) await listener.stop();
  });

  async function connected(
    body: (sink: BodySink) => void,
    limits?: Partial<ListenerLimits>,
  ): Promise<TLSSocket> {
    const listener = await listenTo(() => ({ status: 200, headers: {}, body }), limits);
    running.push(listener);
    return connectTo(listener);
  }
  const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);

  it('is sent in chunks, of which only the last is empty (RFC 9112, section 7.1)', async () => {
    const large = Buffer.alloc(100_000, 'x');
    const socket = await connected((sink) => {
      for (const chunk of [Buffer.from('ab'), Buffer.alloc(0), Buffer.from('ab'), large]) sink.write(chunk);
      sink.end();
    });
    const all = everythingFrom(socket);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(bodyOf(await all)).toBe(
      `2\r\nab\r\n2\r\nab\r\n${(100_000).toString(16)}\r\n${large.toString()}\r\n0\r\n\r\n`,
    );
  });

  it('has the same bytes for all clients that receive the same chunks', async () => {
    const event = Buffer.from('event\n');
    const answers = await Promise.all(
      [1, 2, 3].map(async () => {
        const socket = await connected((sink) => {
          sink.write(event);
          sink.end();
        });
        const all = everythingFrom(socket);
        socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
        return bodyOf(await all);
      }),
    );
    expect(new Set(answers)).toEqual(new Set(['6\r\nevent\n\r\n0\r\n\r\n']));
  });

  it('leaves the connection open for the next request', async () => {
    const socket = await connected((sink) => {
      sink.write(Buffer.from('1'));
      sink.end();
    });
    const all = everythingFrom(socket);
    const request = (more = ''): string => `GET / HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    socket.write(request() + request() + request('Connection: close\r\n'));
    const text = await all;
    expect([statusesOf(text), text.match(/1\r\n1\r\n0\r\n\r\n/g)?.length]).toEqual([[200, 200, 200], 3]);
  });

  it('has no chunks for a client of HTTP/1.0, and ends with the connection', async () => {
    const socket = await connected((sink) => {
      sink.write(Buffer.from('a'));
      sink.write(Buffer.from('b'));
      sink.end();
    });
    const all = everythingFrom(socket);
    socket.write('GET / HTTP/1.0\r\n\r\n');
    expect(bodyOf(await all)).toBe('ab');
  });

  it('pauses while the peer does not read', async () => {
    const chunk = Buffer.alloc(50_000, 'y');
    const PIECES = 400;
    let written = 0;
    let waits = 0;
    const socket = await connected((sink) => {
      const pour = (): void => {
        while (written < PIECES) {
          written++;
          if (sink.write(chunk)) continue;
          waits++;
          sink.onDrain(pour);
          return;
        }
        sink.end();
      };
      pour();
    });
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await once(socket, 'readable');
    expect(written).toBeLessThan(PIECES);
    const text = await everythingFrom(socket.resume());
    expect(waits).toBeGreaterThan(0);
    expect(text.endsWith('0\r\n\r\n')).toBe(true);
    expect(text.split('y').length - 1).toBe(PIECES * chunk.length);
  });

  it('may be silent for longer than the idle timeout, which applies again afterwards', async () => {
    const socket = await connected(
      (sink) => {
        sink.write(Buffer.from('a'));
        setTimeout(() => {
          sink.write(Buffer.from('b'));
          sink.end();
        }, 120);
      },
      { idleMs: 40 },
    );
    const all = everythingFrom(socket);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(bodyOf(await all)).toBe('1\r\na\r\n1\r\nb\r\n0\r\n\r\n');
  });
});
