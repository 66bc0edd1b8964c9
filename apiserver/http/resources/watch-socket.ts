import { FRAME_LENGTH_BYTES } from '../../../api/protobuf/index.ts';
import {
  type BodySink,
  type HttpHeaders,
  type HttpRequest,
  type HttpResponse,
  type MessageForm,
  createWebSocketSink,
  textResponse,
  webSocketAccept,
} from '../../../base/http/index.ts';
import { subprotocolsOf } from '../../auth/web-socket-token.ts';

/** Stream sent over a WebSocket. Each chunk is one message, as text or binary. */
export interface SocketResponse {
  readonly mediaType: string;
  readonly form: MessageForm;
  readonly write: (sink: BodySink) => void;
}

/**
 * Serves a watch over a WebSocket with one message for each event: JSON as text, and protobuf as binary
 * without its length prefix
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apiserver/pkg/endpoints/handlers/watch.go,
 * `HandleWS`).
 */
export const watchOverWebSocket = (
  http: HttpRequest,
  received: AsyncIterable<Uint8Array>,
  { mediaType, form, write }: SocketResponse,
): HttpResponse =>
  overWebSocket(http, received, {
    mediaType,
    form,
    write: form === 'text' ? write : (socket) => write(withoutLengths(socket)),
  });

/**
 * Serves a stream over a WebSocket. Messages of the client are ignored. The response to an invalid handshake
 * is 400.
 */
export function overWebSocket(
  { headers }: HttpRequest,
  received: AsyncIterable<Uint8Array>,
  { mediaType, form, write }: SocketResponse,
): HttpResponse {
  const [key = ''] = headers['sec-websocket-key'] ?? [];
  const protocols = subprotocolsOf(headers);
  const fault = faultOf(key, headers, protocols);
  if (fault !== undefined) return rejection(fault);
  const [protocol] = protocols;
  return {
    status: 101,
    headers: {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'content-type': mediaType,
      'sec-websocket-accept': webSocketAccept(key),
      ...(protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }),
    },
    body(connection) {
      write(createWebSocketSink(connection, received, form));
    },
  };
}

/**
 * Returns the error of a handshake in the words of upstream's library, or undefined if the handshake is
 * valid. Several subprotocols are rejected, as a watch cannot choose among them.
 */
function faultOf(key: string, headers: HttpHeaders, protocols: readonly string[]): string | undefined {
  if (key === '') return 'mismatch challenge/response';
  if (headers['sec-websocket-version']?.[0] !== '13') return 'missing or bad WebSocket Version';
  return protocols.length > 1 ? 'missing or bad WebSocket-Protocol' : undefined;
}

function rejection(text: string): HttpResponse {
  const { status, headers, body } = textResponse(400, text);
  return { status, headers: { ...headers, 'sec-websocket-version': '13' }, body };
}

const withoutLengths = (socket: BodySink): BodySink =>
  rewriting(socket, (frame) => frame.subarray(FRAME_LENGTH_BYTES));

/** Returns a sink that writes each chunk to `socket` after applying `rewrite`. */
export const rewriting = (socket: BodySink, rewrite: (chunk: Uint8Array) => Uint8Array): BodySink => ({
  write: (chunk) => socket.write(rewrite(chunk)),
  onDrain: (run) => socket.onDrain(run),
  onClose: (run) => socket.onClose(run),
  end: () => socket.end(),
  cut: () => socket.cut?.(),
  get closed() {
    return socket.closed;
  },
});
