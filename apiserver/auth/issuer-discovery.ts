import type { KeyObject } from 'node:crypto';
import { algorithmOf, keyIdOf } from '../../base/tokens/index.ts';
import type { FixedDocument } from '../discovery/fixed-documents.ts';

/** Where other services find out how service-account tokens are verified (OpenID Connect Discovery 1.0, section 4). */
const CONFIGURATION_PATH = '/.well-known/openid-configuration';
const KEYS_PATH = '/openid/v1/jwks';
const HEADERS = { 'cache-control': 'public, max-age=3600' };

export interface IssuerDiscoveryOptions {
  /** `iss` of the tokens that are signed now; discovery is for it alone. */
  readonly issuer: string;
  /** All keys that tokens are verified with. */
  readonly publicKeys: readonly KeyObject[];
  /** Where clients find the keys; default below `serverUrl`. */
  readonly jwksUri?: string;
  /** `https://host:port`; asked when the document is. */
  readonly serverUrl: () => string;
}

/**
 * The two documents. None for an issuer that is no address with https, as OpenID Connect asks, or that has a query or a
 * fragment: nobody could ask for them there.
 */
export function issuerDiscovery(options: IssuerDiscoveryOptions): readonly FixedDocument[] {
  const { issuer, publicKeys, jwksUri = '', serverUrl } = options;
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url?.protocol !== 'https:' || url.search !== '' || url.hash !== '') return [];
  const keys = publicKeys.map(jwkOf);
  const configuration = (): object => ({
    issuer,
    jwks_uri: jwksUri === '' ? `${serverUrl()}${KEYS_PATH}` : jwksUri,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))].sort(),
  });
  return [
    {
      path: CONFIGURATION_PATH,
      mediaType: 'application/json',
      headers: HEADERS,
      content: configuration,
      operationId: 'getServiceAccountIssuerOpenIDConfiguration',
      tag: 'WellKnown',
      description: 'get who issues service-account tokens, and where its keys are',
    },
    {
      path: KEYS_PATH,
      mediaType: 'application/jwk-set+json',
      headers: HEADERS,
      content: () => ({ keys }),
      operationId: 'getServiceAccountIssuerOpenIDKeyset',
      tag: 'openid',
      description: 'get the public keys that service-account tokens are verified with',
    },
  ];
}

/** The public part of a key (RFC 7517); a private key given by mistake never shows its secret. */
function jwkOf(key: KeyObject) {
  const { kty, crv, n, e, x, y } = key.export({ format: 'jwk' });
  const alg = algorithmOf(key);
  const material = kty === 'RSA' ? { n, e } : { crv, x, y };
  return { use: 'sig', kty, kid: keyIdOf(key), alg, ...material };
}
