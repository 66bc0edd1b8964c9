import { messageOf, parseJsonQuietly } from '../../base/errors/index.ts';
import { type KeyObject, createPublicKey } from 'node:crypto';
import type { Clock } from '../../base/clock/index.ts';
import { type Outbound, readOutbound } from '../../base/http/index.ts';
import type { Logger } from '../../base/log/index.ts';
import type { VerifyingKey } from './json-web-token.ts';
import { rejected } from './rejection.ts';
import { isRecord } from '../../base/collections/index.ts';

/** Public key that an issuer publishes. */
export interface PublishedKey extends VerifyingKey {
  /** Key ID (`kid`); undefined if the issuer publishes the key without one. */
  readonly id: string | undefined;
}

/** Current public keys of one issuer. */
export interface IssuerKeys {
  /**
   * Returns the known keys. Fetches the keys if none are known, and refreshes old keys in the background.
   * Throws a rejection if the keys cannot be fetched.
   */
  current(): Promise<readonly PublishedKey[]>;
  /**
   * Fetches the keys again after a token with an unknown key ID. Resolves to undefined within the cooldown or
   * if the fetch fails.
   */
  renewed(): Promise<readonly PublishedKey[] | undefined>;
}

/** Issuer, transport and refresh intervals of `createIssuerKeys`. */
export interface IssuerKeysOptions {
  /** Issuer (`iss`) of the tokens, and base URL of the discovery document. */
  readonly issuerUrl: string;
  /** PEM bundle of CAs that verify the issuer's certificate. The default is the machine's root CAs. */
  readonly ca?: string | undefined;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Minimum time in milliseconds between two fetches, whatever tokens clients send. The default is 10,000.
   */
  readonly cooldownMs?: number;
  /**
   * Age in milliseconds after which the keys are refreshed even if no key ID is unknown, so that withdrawn
   * keys expire. The default is one hour.
   */
  readonly maxAgeMs?: number;
  /** Called after each change of the known keys. */
  readonly onChange?: () => void;
}

const COOLDOWN_MS = 10_000;
const MAX_AGE_MS = 3_600_000;
const TIMEOUT_MS = 30_000;
const DOCUMENT_LIMIT_BYTES = 1024 * 1024;
const MAX_KEYS = 256;

/** Creates the keys of an issuer, which are fetched at their first use. */
export function createIssuerKeys(options: IssuerKeysOptions): IssuerKeys {
  return new FetchedKeys(options);
}

class FetchedKeys implements IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #keys: readonly PublishedKey[] | undefined;
  #fetchedMs = 0;
  #askedMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<readonly PublishedKey[] | undefined> | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  async current(): Promise<readonly PublishedKey[]> {
    const { clock, maxAgeMs = MAX_AGE_MS } = this.#options;
    if (this.#keys === undefined) {
      const first = await this.renewed();
      if (first === undefined) throw rejected('oidc: authenticator not initialized');
      return first;
    }
    if (clock.monotonic() - this.#fetchedMs > maxAgeMs) void this.renewed();
    return this.#keys;
  }

  renewed(): Promise<readonly PublishedKey[] | undefined> {
    if (this.#asking !== undefined) return this.#asking;
    const { clock, cooldownMs = COOLDOWN_MS } = this.#options;
    if (clock.monotonic() - this.#askedMs < cooldownMs) return Promise.resolve(undefined);
    this.#askedMs = clock.monotonic();
    const asking = this.#ask().finally(() => (this.#asking = undefined));
    this.#asking = asking;
    return asking;
  }

  async #ask(): Promise<readonly PublishedKey[] | undefined> {
    const { clock, log, issuerUrl, onChange } = this.#options;
    try {
      const keys = await fetchKeys(this.#options);
      this.#keys = keys;
      this.#fetchedMs = clock.monotonic();
      onChange?.();
      return keys;
    } catch (thrown) {
      log.error(
        { issuer: issuerUrl, reason: messageOf(thrown) },
        'failed to fetch the keys of the token issuer',
      );
      return undefined;
    }
  }
}

async function fetchKeys(options: IssuerKeysOptions): Promise<readonly PublishedKey[]> {
  const { issuerUrl } = options;
  const discovery = await fetchDocument(
    `${issuerUrl.replace(/\/$/, '')}/.well-known/openid-configuration`,
    options,
  );
  if (discovery['issuer'] !== issuerUrl)
    throw new Error(
      `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuerUrl)} got ${JSON.stringify(discovery['issuer'])}`,
    );
  const location = discovery['jwks_uri'];
  if (typeof location !== 'string' || location === '')
    throw new Error('oidc: discovery document has no jwks_uri');
  const keys = (await fetchDocument(location, options))['keys'];
  if (!Array.isArray(keys)) throw new Error('oidc: key document has no list "keys"');
  return keys.slice(0, MAX_KEYS).flatMap((key: unknown) => publishedKey(key) ?? []);
}

type Fields = Readonly<Record<string, unknown>>;
/**
 * Fetches a JSON object over https. Does not follow redirects, as only the issuer's own server is trusted to
 * publish its keys.
 */
async function fetchDocument(location: string, options: IssuerKeysOptions): Promise<Fields> {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    throw new Error(`oidc: ${JSON.stringify(location)} is not an https address without user and password`);
  const { status, text } = await get(url, options);
  if (status !== 200) throw new Error(`oidc: ${location} returned status ${status}, expected 200`);
  const parsed = parseJsonQuietly(text);
  if (!isRecord(parsed)) throw new Error(`oidc: ${location} returned no JSON object`);
  return parsed;
}

async function get(
  url: URL,
  { outbound, ca, clock }: IssuerKeysOptions,
): Promise<{ status: number; text: string }> {
  const limit = new AbortController();
  const timer = clock.setTimeout(() => limit.abort(new Error(`no answer from ${url.origin}`)), TIMEOUT_MS);
  try {
    const response = await outbound.send(
      { origin: url.origin, ...(ca === undefined ? {} : { ca }) },
      {
        method: 'GET',
        path: `${url.pathname}${url.search}`,
        headers: { accept: 'application/json' },
        headersTimeoutMs: TIMEOUT_MS,
        signal: limit.signal,
      },
    );
    const bytes = await readOutbound(response, DOCUMENT_LIMIT_BYTES);
    return { status: response.status, text: bytes.toString('utf8') };
  } finally {
    clock.clearTimeout(timer);
  }
}

const CURVE_ALGORITHMS: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};
const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const MIN_RSA_BITS = 2048;

/**
 * Returns the signing algorithms for which a key may be used. RSA keys must have at least 2048 bits, EC keys
 * a NIST curve. Symmetric keys are never accepted.
 */
function algorithmsOf(key: KeyObject): readonly string[] {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa') return modulusLength >= MIN_RSA_BITS ? RSA_ALGORITHMS : [];
  const algorithm = key.asymmetricKeyType === 'ec' ? CURVE_ALGORITHMS[namedCurve] : undefined;
  return algorithm === undefined ? [] : [algorithm];
}

/**
 * Reads one JWK (RFC 7517). Returns undefined for a key that is symmetric, is not for signatures, or cannot
 * be read.
 */
export function publishedKey(jwk: unknown): PublishedKey | undefined {
  if (!isRecord(jwk) || (jwk['kty'] !== 'RSA' && jwk['kty'] !== 'EC')) return undefined;
  if (jwk['use'] !== undefined && jwk['use'] !== 'sig') return undefined;
  const { kty, n, e, crv, x, y, kid, alg } = jwk;
  try {
    // The private part, which an issuer might publish by mistake, is never read.
    const key = createPublicKey({ key: { kty, n, e, crv, x, y } as never, format: 'jwk' });
    const algorithms = algorithmsOf(key).filter((each) => alg === undefined || each === alg);
    return algorithms.length === 0
      ? undefined
      : { key, algorithms, id: typeof kid === 'string' ? kid : undefined };
  } catch {
    return undefined;
  }
}
