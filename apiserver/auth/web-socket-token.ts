import { type HttpHeaders, asksForWebSocket } from '../../base/http/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Authenticated, Authenticator, TokenAuthenticator } from '../request.ts';
import { rejected } from './rejection.ts';

const HEADER = 'sec-websocket-protocol';
/** What a subprotocol begins with that holds a token, whatever the vocabulary. */
const TOKEN = 'base64url.bearer.authorization.';
const BASE64URL = /^[A-Za-z0-9_-]*$/;
const UTF_8 = new TextDecoder('utf-8', { fatal: true });

const protocolsOf = (headers: HttpHeaders): readonly string[] =>
  (headers[HEADER] ?? []).flatMap((line) => line.split(',')).map((protocol) => protocol.trim());

/**
 * Browsers set no `Authorization` header on a WebSocket: they name the token as a subprotocol,
 * `base64url.bearer.authorization.<suffix>.<token>`, beside one that can be answered (release 1.24).
 */
export function createWebSocketTokenAuthenticator(
  tokens: TokenAuthenticator,
  { groupSuffix }: Pick<Vocabulary, 'groupSuffix'>,
): Authenticator {
  const prefix = `${TOKEN}${groupSuffix}.`;
  return {
    name: 'web-socket-token',
    explicit: true,
    // Not async: every request passes by, and hardly one of them waits here.
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

/** The subprotocols a client offers, besides those that hold tokens. */
export const subprotocolsOf = (headers: HttpHeaders): readonly string[] =>
  protocolsOf(headers).filter((protocol) => !protocol.startsWith(TOKEN));

/** Whether a token stands among the subprotocols. */
export const bearsToken = (headers: HttpHeaders): boolean =>
  headers[HEADER]?.some((line) => line.includes(TOKEN)) === true;

/** The headers without the subprotocols that hold tokens, so that nobody answers or hands on one; the same where there is none. */
export function withoutTokenProtocols(headers: HttpHeaders): HttpHeaders {
  if (!bearsToken(headers)) return headers;
  const { [HEADER]: _protocols, ...rest } = headers;
  const kept = subprotocolsOf(headers);
  return kept.length === 0 ? rest : { ...rest, [HEADER]: [kept.join(', ')] };
}
