import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { openDisk } from '../../apiserver/storage/index.ts';

/** Credentials of the bare server, and its response to every GET. */
export interface BareOptions {
  readonly cert: string;
  readonly key: string;
  /** Response body in base64. */
  readonly answer: string;
  /** Directory of the LMDB store to which bodies are appended; '' for no store. */
  readonly store: string;
}

/**
 * Serves the ceiling of the comparison: a bare `node:http2` server with HTTP/1.1 fallback. A GET returns a
 * fixed body, or opens a stream if the query contains `watch`. A POST or PUT appends its body to LMDB and
 * flushes it. A POST to `/emit` sends its body to all streams.
 */
async function serve({ cert, key, answer, store }: BareOptions): Promise<number> {
  const bytes = Buffer.from(answer, 'base64');
  const disk = store === '' ? undefined : await openDisk(store);
  const streams = new Set<Http2ServerResponse>();
  const head = { 'content-type': 'application/json', 'content-length': bytes.length };
  let appended = 0;

  const onBody = async (url: string, body: Buffer, response: Http2ServerResponse): Promise<void> => {
    if (url === '/emit') for (const stream of streams) stream.write(body);
    else {
      const at = Buffer.alloc(8);
      at.writeBigUInt64BE(BigInt(appended++));
      await disk?.put(at, body);
    }
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  };
  const onRequest = (request: Http2ServerRequest, response: Http2ServerResponse): void => {
    if (request.method !== 'GET') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => void onBody(request.url, Buffer.concat(chunks), response));
    } else if (request.url.includes('watch=')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      (response as unknown as { flushHeaders(): void }).flushHeaders();
      streams.add(response);
      response.on('close', () => streams.delete(response));
    } else {
      response.writeHead(200, head);
      response.end(bytes);
    }
  };
  const server = createSecureServer({ allowHTTP1: true, cert, key, maxSessionMemory: 1_000 }, onRequest);
  server.on('connection', (socket) => socket.setNoDelay(true));
  return new Promise((resolve) => {
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const bound = server.address();
      resolve(bound !== null && typeof bound === 'object' ? bound.port : 0);
    });
  });
}

// Entry point of a child process. The first message contains the options; the reply contains the port. The
// process exits with its parent.
process.once('message', (options: BareOptions) => {
  void serve(options).then((port) => process.send?.({ port }));
});
process.on('disconnect', () => process.exit());
