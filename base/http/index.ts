export {
  type BodySink,
  BodyTooLarge,
  type HttpBody,
  type HttpHandler,
  type HttpHeaders,
  type HttpPeer,
  type HttpRequest,
  type HttpResponse,
  firstHeader,
  withHeaders,
} from './message.ts';
export {
  type Outbound,
  OutboundError,
  type OutboundPeer,
  type OutboundRequest,
  type OutboundResponse,
  readOutbound,
} from './outbound.ts';
export { createAnswerHeaders, toHttpHeaders } from './plain-headers.ts';
export { type Batch, type FromClient, type FromServer, Outbox, unpack } from './port-messages.ts';
export { servePort } from './port-server.ts';
export {
  MalformedPath,
  type PathSegments,
  decodePath,
  readSegments,
  readTarget,
  requirePlain,
  requireUnambiguous,
  splitTarget,
} from './request-target.ts';
export { textResponse } from './text-response.ts';
export { upgradeOf } from './upgrade.ts';
export { urlHost } from './url-host.ts';
export { type MessageForm, asksForWebSocket, createWebSocketSink, webSocketAccept } from './web-socket.ts';
