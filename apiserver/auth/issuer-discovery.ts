import type { KeyObject } from 'node:crypto';
import { algorithmOf, keyIdOf } from '../../base/tokens/index.ts';
import type { FixedDocument } from '../discovery/fixed-documents.ts';

/**
 * Paths of the documents from which other services learn how to verify service account tokens (OpenID Connect
 * Discovery 1.0, section 4).
 */
const CONFIGURATION_PATH = '/.well-known/openid-configuration';
const KEYS_PATH = '/openid/v1/jwks';
const HEADERS = { 'cache-control': 'public, max-age=3600' };

export interface IssuerDiscoveryOptions {
  /** Issuer (`iss`) of newly signed tokens; discovery describes only this issuer. */
  readonly issuer: string;
  /** All public keys that verify tokens. */
  readonly publicKeys: readonly KeyObject[];
  /** URL at which clients fetch the keys. The default is a path below `serverUrl`. */
  readonly jwksUri?: string;
  /**
   * Returns the server's URL, such as `https://host:port`. Called for each request for the discovery
   * document.
   */
  readonly serverUrl: () => string;
}

/**
 * Returns the two discovery documents. Returns none unless the issuer is an https URL without query or
 * fragment, as OpenID Connect requires. Clients could not fetch the documents of another issuer.
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
      description: "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
    },
    {
      path: KEYS_PATH,
      mediaType: 'application/jwk-set+json',
      headers: HEADERS,
      content: () => ({ keys }),
      operationId: 'getServiceAccountIssuerOpenIDKeyset',
      tag: 'openid',
      description:
        'get service account issuer OpenID JSON Web Key Set (contains public token verification keys)',
    },
  ];
}

/**
 * Returns the public part of a key as a JWK (RFC 7517). Never includes the secret part, even if a caller
 * passes a private key by mistake.
 */
function jwkOf(key: KeyObject) {
  const { kty, crv, n, e, x, y } = key.export({ format: 'jwk' });
  const alg = algorithmOf(key);
  const material = kty === 'RSA' ? { n, e } : { crv, x, y };
  return { use: 'sig', kty, kid: keyIdOf(key), alg, ...material };
}
