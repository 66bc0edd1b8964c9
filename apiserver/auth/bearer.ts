import type { Authenticated, Authenticator, TokenAuthenticator } from '../request.ts';
import { asAuthenticated } from './groups.ts';
import { fromWire } from './header-text.ts';
import { isRejection, rejected, rejectionReasons } from './rejection.ts';

/** Authenticators of a token chain and the audiences of this server. */
export interface TokenChainOptions {
  /** Tried in order; the first that knows the token decides. */
  readonly authenticators: readonly TokenAuthenticator[];
  /** Audiences of the API server itself, assumed for tokens that name none. */
  readonly apiAudiences: readonly string[];
}

/** Narrows the answer to the requested audiences the token is good for; undefined if there are none. */
function accepted(
  found: Authenticated,
  asked: readonly string[],
  apiAudiences: readonly string[],
): Authenticated | undefined {
  const audiences = asked.filter((audience) => (found.audiences ?? apiAudiences).includes(audience));
  if (audiences.length === 0 && asked.length > 0) return undefined;
  return { ...found, user: asAuthenticated(found.user), audiences };
}

/**
 * Combines the token authenticators into one, for requests and TokenReview alike. Resolves to undefined if no
 * authenticator knows the token. If one rejects it and no other accepts it, throws the rejection with all
 * reasons. Caches nothing: each authenticator knows how long its own answers hold.
 */
export function createTokenChain({ authenticators, apiAudiences }: TokenChainOptions): TokenAuthenticator {
  return {
    name: 'token-chain',
    async authenticateToken(token, audiences) {
      const asked = audiences.length === 0 ? apiAudiences : audiences;
      const reasons: string[] = [];
      for (const authenticator of authenticators) {
        try {
          const found = await authenticator.authenticateToken(token, asked);
          const answer = found && accepted(found, asked, apiAudiences);
          if (answer !== undefined) return answer;
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

/** Returns the token of `Bearer <token>` (RFC 6750); undefined for another scheme or an empty token. */
export function parseBearer(header: string): string | undefined {
  const [scheme = '', token = ''] = header.trim().split(' ', 3);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/**
 * Authenticates by the `Authorization` header. A token that no authenticator accepts is rejected, never
 * anonymous.
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
