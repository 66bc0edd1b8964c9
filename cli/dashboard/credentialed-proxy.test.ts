import { describe, expect, it } from 'vitest';
import type { HttpHeaders, HttpRequest } from '../../base/http/message.ts';
import type { Transport, TransportRequest } from '../../runtime/index.ts';
import { createCredentialedProxy } from './credentialed-proxy.ts';
import { handOn } from '../program/hand-on.ts';

function setUp(chunks: readonly string[] = ['ok']) {
  const sent: TransportRequest[] = [];
  const transport: Transport = {
    send(request) {
      sent.push(request);
      if (request.path === '/api/broken') return Promise.reject(new Error('no connection'));
      return Promise.resolve({
        status: 201,
        headers: { 'content-type': 'application/json', 'set-cookie': 'a=b' },
        body: (async function* () {
          for (const chunk of chunks) yield Buffer.from(chunk);
        })(),
      });
    },
    close: async () => {},
  };
  const handler = createCredentialedProxy(transport);
  const ask = async (
    given: Partial<Pick<HttpRequest, 'method' | 'url'>> & { readonly headers?: HttpHeaders },
  ) =>
    handler({
      method: 'GET',
      url: '/api/v1/pods',
      body: () => Promise.resolve(Buffer.from(given.method === 'PUT' ? '{}' : '')),
      signal: new AbortController().signal,
      peer: { address: '127.0.0.1' },
      ...given,
      headers: { host: ['127.0.0.1:80'], ...given.headers },
    });
  return { sent, ask };
}

describe('createCredentialedProxy', () => {
  it('sends requests as the user of the client configuration, whatever credential the browser sends', async () => {
    const { sent, ask } = setUp();
    const headers = { authorization: ['Bearer secret'], cookie: ['a=b'], accept: ['application/yaml'] };
    const answer = await ask({ headers });
    expect(sent).toMatchObject([{ method: 'GET', path: '/api/v1/pods', streaming: false }]);
    expect(sent[0]?.headers).toEqual({ accept: 'application/yaml' });
    expect([answer.status, answer.headers]).toEqual([201, { 'content-type': 'application/json' }]);
  });

  it('cuts the connection of a response whose body breaks off, for every kind of sink', async () => {
    const broken = (async function* () {
      yield Buffer.from('part');
      throw new Error('the connection broke');
    })();
    class Cut {
      readonly closed = false;
      ends: readonly string[] = [];
      write(): boolean {
        return true;
      }
      onDrain(): void {}
      onClose(): void {}
      end(): void {
        this.ends = [...this.ends, 'ended'];
      }
      cut(): void {
        this.ends = [...this.ends, 'cut'];
      }
    }
    const sink = new Cut();
    await handOn(broken, sink);
    expect(sink.ends).toEqual(['cut']);
  });

  it('streams bodies and gives a watch a dedicated connection', async () => {
    const { sent, ask } = setUp(['a', 'b']);
    const { body } = await ask({ method: 'PUT', url: '/api/v1/pods?watch=true' });
    expect(sent[0]).toMatchObject({ streaming: true, body: Buffer.from('{}') });
    if (typeof body !== 'function') expect.unreachable();
    const received = await new Promise<string>((resolve) => {
      let text = '';
      body({
        write: (chunk) => Boolean((text += Buffer.from(chunk).toString())),
        onDrain: () => {},
        onClose: () => {},
        end: () => resolve(text),
        closed: false,
      });
    });
    expect(received).toBe('ab');
  });

  it.each<readonly [string, HttpHeaders]>([
    ['another origin', { origin: ['https://evil.example'] }],
    ['another port of this machine', { origin: ['http://127.0.0.1:81'] }],
    ['a link of another site', { 'sec-fetch-site': ['cross-site'] }],
  ])('rejects a request from %s', async (_, headers) => {
    const { sent, ask } = setUp();
    expect((await ask({ headers })).status).toBe(403);
    expect(sent).toEqual([]);
  });

  it.each<readonly [string, HttpHeaders]>([
    ['the page itself', { origin: ['http://127.0.0.1:80'], 'sec-fetch-site': ['same-origin'] }],
    ['the address bar of the browser', { 'sec-fetch-site': ['none'] }],
  ])('accepts a request from %s', async (_, headers) => {
    expect((await setUp().ask({ headers })).status).toBe(201);
  });

  it('returns 502 if the server is unreachable', async () => {
    const { status, body } = await setUp().ask({ url: '/api/broken' });
    expect([status, String(body)]).toEqual([502, 'no connection\n']);
  });
});
