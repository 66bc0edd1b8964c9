import type { HttpPeer, HttpRequest } from '../../base/http/message.ts';

/** Creates a GET request without a body. */
export const requestWith = (
  headers: Readonly<Record<string, readonly string[]>> = {},
  peer: Partial<HttpPeer> = {},
): HttpRequest => ({
  method: 'GET',
  url: '/',
  headers,
  body: () => Promise.resolve(new Uint8Array()),
  signal: new AbortController().signal,
  peer: { address: '127.0.0.1', ...peer },
});
