import type { Authenticated, Authenticator, TokenAuthenticator } from '../request.ts';
import { asAuthenticated } from './groups.ts';
import { fromWire } from './header-text.ts';
import { isRejection, rejected, rejectionReasons } from './rejection.ts';

export interface TokenChainOptions {
  /** Asked in order; the first that knows the token decides. */
  readonly authenticators: readonly TokenAuthenticator[];
  /** Audiences of the API server itself: those of tokens that name none. */
  readonly apiAudiences: readonly string[];
}

/** The audiences asked for that the token is good for; a token that names none is good for the API server's own. */
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
 * The token authenticators as one, for requests and for TokenReview alike. A token nobody knows gives undefined; when
 * one authenticator rejects it and no other takes it, the rejection with all reasons is thrown. Nothing is remembered
 * here: each authenticator knows for how long its answers hold.
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

/** The token of `Bearer <token>` (RFC 6750); undefined for another scheme or an empty token. */
export function parseBearer(header: string): string | undefined {
  const [scheme = '', token = ''] = header.trim().split(' ', 3);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

/** Reads the `Authorization` header. A token that no authenticator takes is rejected, never anonymous. */
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
