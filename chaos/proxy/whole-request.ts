import { tooLarge } from '../../api/status/index.ts';
import { BODY_LIMIT } from '../../apiserver/http/index.ts';
import { type BodySink, BodyTooLarge, type HttpBody, type HttpRequest } from '../../base/http/index.ts';

/**
 * Reads a request completely, so that it can be executed after its sender disconnects. Throws a 413 error if
 * the body is larger than API servers accept.
 */
export async function detached(request: HttpRequest): Promise<HttpRequest> {
  const bytes = await request.body(BODY_LIMIT).catch((thrown: unknown) => {
    throw thrown instanceof BodyTooLarge ? tooLarge(thrown.message) : thrown;
  });
  const { signal } = new AbortController();
  return {
    method: request.method,
    url: request.url,
    headers: { ...request.headers, 'content-length': [String(bytes.length)] },
    body: (limit) =>
      bytes.length > limit ? Promise.reject(new BodyTooLarge(limit)) : Promise.resolve(bytes),
    signal,
    peer: request.peer,
  };
}

/** Returns the request with another URL. */
export const withUrl = (request: HttpRequest, url: string): HttpRequest => ({
  method: request.method,
  url,
  headers: request.headers,
  body: (limit) => request.body(limit),
  signal: request.signal,
  peer: request.peer,
});

/** Reads a body of any form completely. Rejects if the body breaks off. */
export function bytesOf(body: HttpBody): Promise<Buffer> {
  if (typeof body !== 'function')
    return Promise.resolve(Buffer.concat(body instanceof Uint8Array ? [body] : body));
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    const closing: (() => void)[] = [];
    let closed = false;
    const close = (then: () => void): void => {
      if (closed) return;
      closed = true;
      for (const run of closing) run();
      then();
    };
    const sink: BodySink = {
      write: (chunk) => chunks.push(chunk) > 0,
      onDrain: (run) => run(),
      onClose: (run) => void closing.push(run),
      end: () => close(() => resolve(Buffer.concat(chunks))),
      cut: () => close(() => reject(new Error('the response broke off'))),
      get closed() {
        return closed;
      },
    };
    body(sink);
  });
}
