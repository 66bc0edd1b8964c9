import type { Authenticated, Authenticator, TokenAuthenticator } from '../request.ts';
import { asAuthenticated } from './groups.ts';
import { fromWire } from './header-text.ts';
import { isRejection, rejected, rejectionReasons } from './rejection.ts';

/** Authenticators of a token chain and the audiences of this server. */
export interface TokenChainOptions {
  /** Authenticators in the order in which they are tried; the first that accepts a token decides. */
  readonly authenticators: readonly TokenAuthenticator[];
  /** Audiences of this API server. A token that names no audience is treated as having these. */
  readonly apiAudiences: readonly string[];
}

/**
 * Narrows the result to the requested audiences for which the token is valid. Returns undefined if there are
 * none.
 */
function accepted(
  found: Authenticated,
  requested: readonly string[],
  apiAudiences: readonly string[],
): Authenticated | undefined {
  const audiences = requested.filter((audience) => (found.audiences ?? apiAudiences).includes(audience));
  if (audiences.length === 0 && requested.length > 0) return undefined;
  return { ...found, user: asAuthenticated(found.user), audiences };
}

/**
 * Combines token authenticators into one, for requests and TokenReview. Resolves to undefined if no
 * authenticator recognizes the token. If an authenticator rejects the token and no other accepts it, throws a
 * rejection with all reasons. The chain caches nothing, as each authenticator decides how long to cache its
 * own results.
 */
export function createTokenChain({ authenticators, apiAudiences }: TokenChainOptions): TokenAuthenticator {
  return {
    name: 'token-chain',
    async authenticateToken(token, audiences) {
      const requested = audiences.length === 0 ? apiAudiences : audiences;
      const reasons: string[] = [];
      for (const authenticator of authenticators) {
        try {
          const found = await authenticator.authenticateToken(token, requested);
          const narrowed = found && accepted(found, requested, apiAudiences);
          if (narrowed !== undefined) return narrowed;
        } catch (thrown) {
          if (!isRejection(thrown)) throw thrown;
          reasons.push(...rejectionReasons(thrown));
        }
      }
      if (reasons.length > 0) throw rejected(...reasons);
      return undefined;
    },
  };
}

/**
 * Returns the token of a header `Bearer TOKEN` (RFC 6750). Returns undefined for another scheme or an empty
 * token.
 */
export function parseBearer(header: string): string | undefined {
  const [scheme = '', token = ''] = header.trim().split(' ', 3);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/**
 * Creates an authenticator for the `Authorization` header. It rejects a token that no token authenticator
 * accepts; such a request is never treated as anonymous.
 */
export function createBearerAuthenticator(tokens: TokenAuthenticator): Authenticator {
  return {
    name: 'bearer',
    explicit: true,
    authenticate({ headers }) {
      const token = parseBearer(headers['authorization']?.[0] ?? '');
      return token === undefined ? undefined : owner(fromWire(token));
    },
  };

  async function owner(token: string): Promise<Authenticated> {
    const found = await tokens.authenticateToken(token, []);
    if (found === undefined) throw rejected('invalid bearer token');
    return found;
  }
}
