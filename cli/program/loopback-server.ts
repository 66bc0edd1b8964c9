import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CodedError } from '../../base/errors/index.ts';
import {
  type BodySink,
  BodyTooLarge,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  MalformedPath,
  firstHeader,
  textResponse,
} from '../../base/http/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';

export interface LoopbackServer extends Lifetime {
  /** Returns `http://127.0.0.1:port`. Known once the server has started. */
  address(): string;
}

/**
 * Creates a plain HTTP server on 127.0.0.1 for local clients. Requests with another host name are rejected.
 * This prevents DNS rebinding, in which a foreign page makes its host name resolve to this address.
 */
export function createLoopbackServer(name: string, port: number, handler: HttpHandler): LoopbackServer {
  const answer: HttpHandler = (request) =>
    isLocal(firstHeader(request.headers, 'host')) ? handler(request) : FOREIGN;
  const server = createServer((request, response) => {
    void Promise.resolve(requestOf(request, response))
      .then(answer)
      .then(
        (given) => write(response, given),
        (thrown) => write(response, refusalFor(thrown)),
      );
  });
  return {
    name,
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', (cause) =>
          reject(
            new CodedError('ERR_LISTEN_FAILED', `failed to listen on 127.0.0.1:${port}: ${cause.message}`, {
              cause,
            }),
          ),
        );
        server.listen(port, '127.0.0.1', () => resolve());
      }),
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
    address: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
}

const isLocal = (host: string | undefined): boolean =>
  host === undefined || /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);

const FOREIGN = textResponse(421, 'this server is asked as 127.0.0.1 or localhost\n');
const BROKEN = textResponse(500, 'internal server error\n');

const refusalFor = (thrown: unknown): HttpResponse =>
  thrown instanceof MalformedPath ? textResponse(400, `${thrown.message}\n`) : BROKEN;

function requestOf(request: IncomingMessage, response: ServerResponse): HttpRequest {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  return {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers: Object.fromEntries(
      Object.entries(request.headersDistinct).flatMap(([name, values]) => (values ? [[name, values]] : [])),
    ),
    body: (limitBytes) => readBody(request, limitBytes),
    signal: closed.signal,
    peer: { address: '127.0.0.1' },
  };
}

async function readBody(request: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new BodyTooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function write(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  response.writeHead(status, headers as Record<string, string>);
  if (typeof body === 'function') return body(sinkOf(response));
  for (const chunk of body instanceof Uint8Array ? [body] : body) response.write(chunk);
  response.end();
}

const sinkOf = (response: ServerResponse): BodySink => ({
  write: (chunk) => response.write(chunk),
  onDrain: (run) => void response.once('drain', run),
  onClose: (run) => void response.once('close', run),
  end: () => void response.end(),
  cut: () => void response.destroy(),
  get closed() {
    return response.closed;
  },
});
