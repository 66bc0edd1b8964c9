import { type HttpRequest, type HttpResponse, withHeaders } from '../../base/http/index.ts';
import { subprotocolsOf } from '../auth/web-socket-token.ts';
import { overWebSocket, rewriting } from '../http/watch-socket.ts';

const BASE64 = /^base64\./;
const OF_THE_HANDSHAKE = /^(?:connection|upgrade|sec-websocket-.*)$/;

/** The request for the same over HTTP. */
export const withoutUpgrade = (http: HttpRequest): HttpRequest => {
  const { stream: _spoken, ...plain } = withHeaders(
    http,
    Object.fromEntries(Object.entries(http.headers).filter(([name]) => !OF_THE_HANDSHAKE.test(name))),
  );
  return plain;
};

/**
 * A log over a WebSocket (release 1.24, `wsstream.Reader`): an empty message at first, then each piece of `log` as it comes,
 * as bytes, or in base64 as text where the subprotocol asks for that.
 */
export function logOverWebSocket(
  http: HttpRequest,
  spoken: AsyncIterable<Uint8Array>,
  { body }: HttpResponse,
): HttpResponse {
  const isBase64 = BASE64.test(subprotocolsOf(http.headers)[0] ?? '');
  return overWebSocket(http, spoken, {
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
