import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLoopbackServer } from './loopback-server.ts';

describe('createLoopbackServer', () => {
  const server = createLoopbackServer('test', 0, ({ method, url }) => {
    if (url === '/broken') throw new Error('a defect');
    if (url !== '/stream') return { status: 200, headers: {}, body: Buffer.from(`${method} ${url}`) };
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: (sink) => {
        sink.write(Buffer.from('a'));
        sink.write(Buffer.from('b'));
        sink.end();
      },
    };
  });
  beforeEach(() => server.start());
  afterEach(() => server.stop());

  const get = (path: string, host?: string): Promise<readonly [number | undefined, string]> =>
    new Promise((resolve, reject) => {
      request(`${server.address()}${path}`, host === undefined ? {} : { headers: { host } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve([response.statusCode, text]));
      })
        .on('error', reject)
        .end();
    });

  it('forwards requests and returns complete or streamed responses', async () => {
    expect(await get('/a?b=c')).toEqual([200, 'GET /a?b=c']);
    expect(await get('/stream')).toEqual([200, 'ab']);
    expect((await get('/broken'))[0]).toBe(500);
  });

  it('accepts only loopback host names', async () => {
    expect((await get('/', 'localhost:8080'))[0]).toBe(200);
    expect((await get('/', 'example.com'))[0]).toBe(421);
    expect((await get('/', 'localhost.example.com'))[0]).toBe(421);
  });
});
