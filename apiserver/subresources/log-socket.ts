import { type HttpRequest, type HttpResponse, withHeaders } from '../../base/http/index.ts';
import { subprotocolsOf } from '../auth/web-socket-token.ts';
import { overWebSocket, rewriting } from '../http/resources/watch-socket.ts';

const BASE64 = /^base64\./;
const HANDSHAKE_HEADER = /^(?:connection|upgrade|sec-websocket-.*)$/;

/** Returns the request without the WebSocket handshake. */
export const withoutUpgrade = (http: HttpRequest): HttpRequest => {
  const { stream: _received, ...plain } = withHeaders(
    http,
    Object.fromEntries(Object.entries(http.headers).filter(([name]) => !HANDSHAKE_HEADER.test(name))),
  );
  return plain;
};

/**
 * Sends a log over a WebSocket: an empty message first, then each chunk of `log`. Messages are binary, or
 * base64 text if the subprotocol requests it
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apiserver/pkg/util/wsstream/stream.go).
 */
export function logOverWebSocket(
  http: HttpRequest,
  received: AsyncIterable<Uint8Array>,
  { body }: HttpResponse,
): HttpResponse {
  const isBase64 = BASE64.test(subprotocolsOf(http.headers)[0] ?? '');
  return overWebSocket(http, received, {
    mediaType: 'text/plain',
    form: isBase64 ? 'text' : 'binary',
    write(socket) {
      const sink = isBase64
        ? rewriting(socket, (piece) => Buffer.from(Buffer.from(piece).toString('base64')))
        : socket;
      sink.write(new Uint8Array());
      if (typeof body === 'function') return body(sink);
      for (const piece of body instanceof Uint8Array ? [body] : body) sink.write(piece);
      sink.end();
    },
  });
}
