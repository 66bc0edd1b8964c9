import { type KeyObject, generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import type { HttpHandler } from '../../base/http/message.ts';

/** Signing key of a token issuer. */
export interface IssuerKey {
  readonly id: string;
  readonly algorithm: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function issuerKey(id: string, type: 'rsa' | 'ec' = 'ec'): IssuerKey {
  const pair =
    type === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { id, algorithm: type === 'ec' ? 'ES256' : 'RS256', ...pair };
}

export const publicJwk = ({ id, algorithm, publicKey }: IssuerKey): object => ({
  ...publicKey.export({ format: 'jwk' }),
  kid: id,
  alg: algorithm,
  use: 'sig',
});

/** Signs a token with the given claims. `header` overrides fields of the token header. */
export const signedToken = (claims: object, key: IssuerKey, header: object = {}): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: key.algorithm, kid: key.id, ...header })
    .sign(key.privateKey);

/** Encodes a header or claims as one part of a compact token. */
export const tokenPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** OpenID Connect issuer whose documents can be changed while it runs. */
export interface TestIssuer {
  keys: readonly object[];
  /** Fields that override those of the discovery document. */
  document: object;
  /** Response sent in place of every document. */
  failing: { readonly status: number; readonly location?: string } | undefined;
  /** URLs of all requests, in order. */
  readonly requested: string[];
  readonly handler: HttpHandler;
}

export function createTestIssuer(url: () => string, keys: readonly object[]): TestIssuer {
  const requested: string[] = [];
  const issuer: TestIssuer = {
    keys,
    document: {},
    failing: undefined,
    requested,
    handler: async (request) => {
      requested.push(request.url);
      if (issuer.failing !== undefined) {
        const { status, location } = issuer.failing;
        return { status, headers: location === undefined ? {} : { location }, body: Buffer.from('{}') };
      }
      const base = new URL(url()).pathname.replace(/\/$/, '');
      const documents = new Map<string, object>([
        [
          `${base}/.well-known/openid-configuration`,
          { issuer: url(), jwks_uri: `${new URL(url()).origin}/keys`, ...issuer.document },
        ],
        ['/keys', { keys: issuer.keys }],
      ]);
      const document = documents.get(request.url);
      return document === undefined
        ? { status: 404, headers: {}, body: Buffer.alloc(0) }
        : { status: 200, headers: {}, body: Buffer.from(JSON.stringify(document)) };
    },
  };
  return issuer;
}
