import { constants, createGzip } from 'node:zlib';
import type { BodySink, HttpHeaders, HttpResponse } from '../../../base/http/index.ts';

/** Maximum size, in bytes, of a body that is sent uncompressed, as in upstream. */
const THRESHOLD = 128 * 1024;

/** True if `Accept-Encoding` names gzip with a quality above 0. */
export function acceptsGzip(headers: HttpHeaders): boolean {
  const accept = headers['accept-encoding'];
  if (accept === undefined) return false;
  return accept.some((line) =>
    line.split(',').some((coding) => /^\s*gzip\s*(;\s*q\s*=\s*(?!0(\.0*)?\s*$).*)?$/i.test(coding)),
  );
}

/** Compresses a large body if the client accepts gzip. Returns streams and small bodies unchanged. */
export function compressed(headers: HttpHeaders, response: HttpResponse): HttpResponse {
  const { body } = response;
  if (typeof body === 'function') return response;
  const chunks: readonly Uint8Array[] = body instanceof Uint8Array ? [body] : body;
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  if (length <= THRESHOLD || !acceptsGzip(headers)) return response;
  return {
    status: response.status,
    headers: { ...response.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
    body: (sink) => gzipInto(sink, chunks),
  };
}

/** Compresses chunk by chunk on zlib's threads, no faster than the peer reads. */
function gzipInto(sink: BodySink, chunks: readonly Uint8Array[]): void {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  let at = 0;
  const feed = (): void => {
    while (at < chunks.length) {
      const chunk = chunks[at];
      at += 1;
      if (chunk !== undefined && !gzip.write(chunk)) return;
    }
    gzip.end();
  };
  gzip.on('drain', feed);
  gzip.on('data', (chunk: Buffer) => {
    if (sink.closed || sink.write(chunk)) return;
    gzip.pause();
    sink.onDrain(() => gzip.resume());
  });
  gzip.on('end', () => sink.end());
  sink.onClose(() => gzip.destroy());
  feed();
}
