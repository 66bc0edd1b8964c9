import { FRAME_LENGTH_BYTES } from '../../api/protobuf/index.ts';
import {
  type BodySink,
  type HttpHeaders,
  type HttpRequest,
  type HttpResponse,
  type MessageForm,
  createWebSocketSink,
  textResponse,
  webSocketAccept,
} from '../../base/http/index.ts';
import { subprotocolsOf } from '../auth/web-socket-token.ts';

/** What is said once a WebSocket is open: each chunk is a message, as text or as bytes. */
export interface SocketAnswer {
  readonly mediaType: string;
  readonly form: MessageForm;
  readonly write: (sink: BodySink) => void;
}

/**
 * A watch over a WebSocket (release 1.24, `HandleWS`): a message an event, JSON as text and protobuf as bytes, which have no
 * length of their own here.
 */
export const watchOverWebSocket = (
  http: HttpRequest,
  spoken: AsyncIterable<Uint8Array>,
  { mediaType, form, write }: SocketAnswer,
): HttpResponse =>
  overWebSocket(http, spoken, {
    mediaType,
    form,
    write: form === 'text' ? write : (socket) => write(withoutLengths(socket)),
  });

/** What the client sends is left. A bad handshake is answered with 400, and nothing is written. */
export function overWebSocket(
  { headers }: HttpRequest,
  spoken: AsyncIterable<Uint8Array>,
  { mediaType, form, write }: SocketAnswer,
): HttpResponse {
  const [key = ''] = headers['sec-websocket-key'] ?? [];
  const protocols = subprotocolsOf(headers);
  const fault = faultOf(key, headers, protocols);
  if (fault !== undefined) return refusal(fault);
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
      write(createWebSocketSink(connection, spoken, form));
    },
  };
}

/** As upstream's library has it: several subprotocols would have to be chosen from, and a watch knows none. */
function faultOf(key: string, headers: HttpHeaders, protocols: readonly string[]): string | undefined {
  if (key === '') return 'mismatch challenge/response';
  if (headers['sec-websocket-version']?.[0] !== '13') return 'missing or bad WebSocket Version';
  return protocols.length > 1 ? 'missing or bad WebSocket-Protocol' : undefined;
}

function refusal(text: string): HttpResponse {
  const { status, headers, body } = textResponse(400, text);
  return { status, headers: { ...headers, 'sec-websocket-version': '13' }, body };
}

const withoutLengths = (socket: BodySink): BodySink =>
  rewriting(socket, (frame) => frame.subarray(FRAME_LENGTH_BYTES));

/** The same sink, which is given each chunk as `rewrite` makes it. */
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
