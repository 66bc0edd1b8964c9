import { type HttpHeaders, asksForWebSocket } from '../../base/http/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Authenticated, Authenticator, TokenAuthenticator } from '../request.ts';
import { rejected } from './rejection.ts';

const HEADER = 'sec-websocket-protocol';
/** Prefix of subprotocols that contain a token. The domain of the vocabulary follows. */
const TOKEN = 'base64url.bearer.authorization.';
const BASE64URL = /^[A-Za-z0-9_-]*$/;
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

const protocolsOf = (headers: HttpHeaders): readonly string[] =>
  (headers[HEADER] ?? []).flatMap((line) => line.split(',')).map((protocol) => protocol.trim());

/**
 * Creates an authenticator for the WebSocket subprotocol `base64url.bearer.authorization.<suffix>.<token>`,
 * as browsers cannot set the `Authorization` header on a WebSocket. The client must propose a second
 * subprotocol, which the server can select
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/staging/src/k8s.io/apiserver/pkg/authentication/request/websocket/protocol.go).
 */
export function createWebSocketTokenAuthenticator(
  tokens: TokenAuthenticator,
  { groupSuffix }: Pick<Vocabulary, 'groupSuffix'>,
): Authenticator {
  const prefix = `${TOKEN}${groupSuffix}.`;
  return {
    name: 'web-socket-token',
    explicit: true,
    // Not async, as almost every request returns without waiting.
    authenticate: ({ headers }) =>
      headers[HEADER] === undefined || !asksForWebSocket(headers) ? undefined : fromProtocols(headers),
  };

  async function fromProtocols(headers: HttpHeaders): Promise<Authenticated | undefined> {
    const protocols = protocolsOf(headers);
    const [encoded, ...others] = protocols.filter((protocol) => protocol.startsWith(prefix));
    if (encoded === undefined) return undefined;
    if (others.length > 0) throw rejected('multiple base64.bearer.authorization tokens specified');
    const token = decoded(encoded.slice(prefix.length));
    if (token === '') return undefined;
    if (protocols.length === 1) throw rejected('missing additional subprotocol');
    const found = await tokens.authenticateToken(token, []);
    if (found === undefined) throw rejected('invalid bearer token');
    return found;
  }
}

function decoded(encoded: string): string {
  if (!BASE64URL.test(encoded) || encoded.length % 4 === 1)
    throw rejected('invalid base64.bearer.authorization token encoding');
  try {
    return UTF_8.decode(Buffer.from(encoded, 'base64url'));
  } catch {
    throw rejected('invalid base64.bearer.authorization token');
  }
}

/** Returns the subprotocols that a client proposes, without those that contain tokens. */
export const subprotocolsOf = (headers: HttpHeaders): readonly string[] =>
  protocolsOf(headers).filter((protocol) => !protocol.startsWith(TOKEN));

/** True if a subprotocol contains a token. */
export const hasTokenProtocol = (headers: HttpHeaders): boolean =>
  headers[HEADER]?.some((line) => line.includes(TOKEN)) === true;

/**
 * Returns the headers without the subprotocols that contain tokens, so that no token is selected or
 * forwarded. Returns the same record if there is no such subprotocol.
 */
export function withoutTokenProtocols(headers: HttpHeaders): HttpHeaders {
  if (!hasTokenProtocol(headers)) return headers;
  const { [HEADER]: _protocols, ...rest } = headers;
  const kept = subprotocolsOf(headers);
  return kept.length === 0 ? rest : { ...rest, [HEADER]: [kept.join(', ')] };
}
