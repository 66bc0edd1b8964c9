import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createRelink, isPage, relinkedPage } from './relink.ts';

const relink = createRelink({ prefix: '/p/proxy', peer: '10.1.0.7:80', requested: 'api:6443' });

describe('link in the response of a pod', () => {
  it.each([
    ['/x?a=/b#c', '/p/proxy/x?a=/b#c'],
    ['/', '/p/proxy/'],
    ['http://10.1.0.7:80/x', '/p/proxy/x'],
    ['//10.1.0.7:80/x', '/p/proxy/x'],
    ['https://api:6443/x', 'https://api:6443/p/proxy/x'],
  ])('%s is prefixed with the path of the proxy', (link, relinked) => {
    expect(relink(link)).toBe(relinked);
  });

  it.each([
    'x',
    '../x',
    '?a=b',
    '#c',
    '',
    'http://elsewhere/x',
    '//elsewhere/x',
    'mailto:a@b',
    'javascript:/x/.test(1)',
    '/p/proxy/x',
    'http://[::1',
    'https://api:6443',
  ])('%j is unchanged', (link) => {
    expect(relink(link)).toBe(link);
  });
});

describe('proxied page', () => {
  const collected = async (body: AsyncIterable<Uint8Array>): Promise<Buffer> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 5) yield bytes.subarray(at, at + 5);
  }
  const plain = { 'content-type': ['text/html; charset=utf-8'] };
  const zipped = { ...plain, 'content-encoding': ['gzip'] };

  it('is recognized by its HTML type and a supported encoding', () => {
    expect(isPage(plain) && isPage(zipped)).toBe(true);
    expect(isPage({ 'content-type': ['text/htmlx'] }) || isPage({})).toBe(false);
    expect(isPage({ ...plain, 'content-encoding': ['br'] })).toBe(false);
  });

  it('keeps its encoding', async () => {
    const page = Buffer.from('<a href="/é">é</a>');
    const relinked = '<a href="/p/proxy/é">é</a>';
    expect((await collected(relinkedPage(inPieces(page), plain, relink))).toString()).toBe(relinked);
    const zip = await collected(relinkedPage(inPieces(gzipSync(page)), zipped, relink));
    expect(gunzipSync(zip).toString()).toBe(relinked);
  });

  it.each([
    ['it is cut off', gzipSync('<a href="/x">').subarray(0, 20)],
    ['its encoding does not match its headers', Buffer.from('<a href="/x">')],
  ])('fails if %s', async (_how, bytes) => {
    await expect(collected(relinkedPage(inPieces(bytes), zipped, relink))).rejects.toThrow();
  });

  it('closes its source if the reader stops', async () => {
    let isClosed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield gzipSync('x'.repeat(1000));
      } finally {
        isClosed = true;
      }
    }
    for await (const chunk of relinkedPage(endless(), zipped, relink)) if (chunk.length > 0) break;
    await expect.poll(() => isClosed).toBe(true);
  });
});
