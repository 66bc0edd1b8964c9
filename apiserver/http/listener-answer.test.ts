import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpHandler, HttpResponse } from '../../base/http/message.ts';
import { connectTo, everythingFrom, listenTo, statusesOf } from '../../test/security/listening.ts';
import type { Listener } from './listener.ts';

describe('an answer over HTTP/1.1 that is there as a whole', () => {
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

  it('says its length, its date and that the connection stays', async () => {
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

  it('is followed by those to requests that were sent before it came, in their order', async () => {
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

  it('leaves a body that was not read behind, and the next request is answered', async () => {
    const socket = await connected(answering());
    const all = everythingFrom(socket);
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(statusesOf(await all)).toEqual([200, 200]);
  });

  it('is a 400 to who names no host (RFC 9112, section 3.2), but in HTTP/1.0', async () => {
    const statusOf = async (head: string): Promise<string> => {
      const socket = await connected(answering());
      const all = everythingFrom(socket);
      socket.write(`${head}\r\n\r\n`);
      return (await all).slice(0, 12);
    };
    expect(await statusOf('GET / HTTP/1.1')).toBe('HTTP/1.1 400');
    expect(await statusOf('GET / HTTP/1.0')).toBe('HTTP/1.1 200');
  });

  it('ends the connection where client or handler ask for it', async () => {
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

  it('is a 500 where a header would break out of its line', async () => {
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
