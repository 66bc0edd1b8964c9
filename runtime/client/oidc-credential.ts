import type { Clock } from '../../base/clock/index.ts';
import { type Outbound, readOutbound } from '../../base/http/index.ts';
import { isRecord } from '../../base/collections/index.ts';
import { ClientError } from './client-error.ts';
import { type CredentialSource, type Credentials, bearer } from './credentials.ts';
import { createUndiciOutbound } from './undici-outbound.ts';

/**
 * Validated `oidc` auth-provider of a user; see
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens.
 */
export interface OidcConfig {
  /** HTTPS URL of the issuer; the discovery document is below this URL. */
  readonly issuerUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly idToken?: string;
  /** Refresh token, with which an expired ID token is renewed. */
  readonly refreshToken?: string;
  /** Trusted certificate authorities of the issuer in PEM. Default: the authorities of the system. */
  readonly ca?: string;
}

/** Options of `oidcCredentials`. */
export interface OidcCredentialOptions {
  readonly oidc: OidcConfig;
  readonly clock: Clock;
  /** Creates the connections of one renewal, which are closed afterwards. Default: sockets. */
  readonly connect?: () => Outbound;
}

/**
 * Time before its expiry, in milliseconds, from which a token is no longer used: it must be valid until the
 * server has read it.
 */
const MARGIN_MS = 10_000;
const TIMEOUT_MS = 30_000;
const DOCUMENT_LIMIT_BYTES = 1024 * 1024;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]*$/;

const failure = (message: string, cause?: unknown): ClientError =>
  new ClientError('ERR_CREDENTIAL', `oidc: ${message}`, cause === undefined ? {} : { cause });

interface HeldToken {
  readonly credentials: Credentials;
  readonly expiresAtMs: number;
}

/**
 * Creates a source of the ID token of an OpenID Connect login. The token is renewed once it has expired or
 * the server has rejected it. Renewed tokens stay in memory; the kubeconfig file is never written. Errors
 * contain no token.
 */
export function oidcCredentials({
  oidc,
  clock,
  connect = createUndiciOutbound,
}: OidcCredentialOptions): CredentialSource {
  let held = oidc.idToken === undefined ? undefined : heldToken(oidc.idToken);
  let refreshToken = oidc.refreshToken;
  let renewal: Promise<Credentials> | undefined;

  const renew = async (): Promise<Credentials> => {
    if (refreshToken === undefined)
      throw failure('there is no valid id-token and no refresh-token to renew it');
    const renewed = await requestTokens(oidc, refreshToken, clock, connect());
    refreshToken = renewed.refreshToken ?? refreshToken;
    held = heldToken(renewed.idToken);
    if (held === undefined) throw failure('the issuer returned an id_token that is not a JSON Web Token');
    return held.credentials;
  };
  return {
    get() {
      if (held !== undefined && clock.now() + MARGIN_MS < held.expiresAtMs)
        return Promise.resolve(held.credentials);
      renewal ??= renew().finally(() => (renewal = undefined));
      return renewal;
    },
    rejected(used) {
      if (held?.credentials === used) held = undefined;
      return Promise.resolve(refreshToken !== undefined);
    },
  };
}

/**
 * Returns a token with its expiry, or undefined if it is not a JSON Web Token. Only the server verifies the
 * signature.
 */
function heldToken(token: string): HeldToken | undefined {
  const claims = TOKEN.test(token)
    ? parsed(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    : undefined;
  const expiry = isRecord(claims) ? claims['exp'] : undefined;
  return typeof expiry === 'number'
    ? { credentials: { authorization: bearer(token) }, expiresAtMs: expiry * 1000 }
    : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The cause is omitted: the parser's message may quote a secret.
    return undefined;
  }
}

/** Reads the issuer's token endpoint from discovery and requests new tokens there (RFC 6749, section 6). */
async function requestTokens(
  oidc: OidcConfig,
  refreshToken: string,
  clock: Clock,
  outbound: Outbound,
): Promise<{ readonly idToken: string; readonly refreshToken?: string }> {
  const controller = new AbortController();
  const timer = clock.setTimeout(() => controller.abort(), TIMEOUT_MS);
  const issuer: Issuer = { oidc, outbound, signal: controller.signal };
  try {
    const tokens = await fetchDocument(issuer, await tokenEndpoint(issuer), tokenRequest(oidc, refreshToken));
    const { id_token: idToken, refresh_token: next } = tokens;
    if (typeof idToken !== 'string' || idToken === '')
      throw failure('the issuer does not renew id tokens: its response has no id_token');
    return { idToken, ...(typeof next === 'string' && next !== '' ? { refreshToken: next } : {}) };
  } catch (thrown) {
    if (controller.signal.aborted) throw failure(`the issuer did not respond within ${TIMEOUT_MS} ms`);
    throw thrown instanceof ClientError ? thrown : failure('the request to the issuer failed', thrown);
  } finally {
    clock.clearTimeout(timer);
    await outbound.close();
  }
}

interface Issuer {
  readonly oidc: OidcConfig;
  readonly outbound: Outbound;
  readonly signal: AbortSignal;
}

interface DocumentRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function tokenEndpoint(issuer: Issuer): Promise<URL> {
  const document = new URL(`${issuer.oidc.issuerUrl.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const { token_endpoint: endpoint } = await fetchDocument(issuer, document, { method: 'GET', headers: {} });
  const url = typeof endpoint === 'string' && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url?.protocol !== 'https:') throw failure('the issuer has no token_endpoint with https');
  return url;
}

function tokenRequest({ clientId, clientSecret }: OidcConfig, refreshToken: string): DocumentRequest {
  const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
  if (clientSecret === undefined) form.set('client_id', clientId);
  // Both parts are percent-encoded before they are joined (RFC 6749, section 2.3.1).
  const identity = [clientId, clientSecret ?? ''].map(encodeURIComponent).join(':');
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(clientSecret !== undefined && {
        authorization: `Basic ${Buffer.from(identity).toString('base64')}`,
      }),
    },
    body: form.toString(),
  };
}

async function fetchDocument(
  { oidc, outbound, signal }: Issuer,
  url: URL,
  request: DocumentRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await outbound.send(
    { origin: url.origin, ...(oidc.ca === undefined ? {} : { ca: oidc.ca }) },
    { ...request, path: url.pathname + url.search, signal, headersTimeoutMs: TIMEOUT_MS },
  );
  const document = parsed((await readOutbound(response, DOCUMENT_LIMIT_BYTES)).toString('utf8'));
  const { error } = isRecord(document) ? document : {};
  if (response.status !== 200) {
    // Only an error code of RFC 6749, section 5.2, is quoted. Other text may contain parts of the request.
    const why = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` ${error}` : '';
    throw failure(`${url.origin}${url.pathname} answered ${response.status}${why}`);
  }
  if (!isRecord(document)) throw failure(`${url.origin}${url.pathname} did not return a JSON object`);
  return document;
}
