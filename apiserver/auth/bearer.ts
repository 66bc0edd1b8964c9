import { ApiError } from '../../api/status/api-error.ts';
import type { Clock } from '../../base/clock/clock.ts';
import type { Authenticated, Authenticator, TokenAuthenticator } from '../request.ts';
import { asAuthenticated } from './groups.ts';
import { rejected, rejectionReason } from './rejection.ts';
import { digestOf } from './secret-digest.ts';

/** Upstream's time: how long a token whose Secret or Pod has gone may still be taken. */
const CACHE_TTL_MS = 10_000;
const CACHE_ENTRIES = 4_096;

export interface TokenChainOptions {
  /** Asked in order; the first that knows the token decides. */
  readonly authenticators: readonly TokenAuthenticator[];
  /** Audiences of the API server itself: those of tokens that name none. */
  readonly apiAudiences: readonly string[];
  readonly clock: Clock;
  /** How long a good token is remembered; default 10,000 ms, 0 for not at all. Bad ones are never remembered. */
  readonly cacheTtlMs?: number;
}

/** The audiences asked for that the token is good for; a token that names none is good for the API server's own. */
function accepted(
  found: Authenticated,
  asked: readonly string[],
  apiAudiences: readonly string[],
): Authenticated | undefined {
  const audiences = asked.filter((audience) => (found.audiences ?? apiAudiences).includes(audience));
  if (audiences.length === 0 && asked.length > 0) return undefined;
  return { user: asAuthenticated(found.user), audiences };
}

/**
 * The token authenticators as one, for requests and for TokenReview alike. A token nobody knows gives undefined; when
 * one authenticator rejects it and no other takes it, the rejection with all reasons is thrown. Good answers are
 * remembered for a moment, under the token's SHA-256, and one check serves all who ask at the same time.
 */
export function createTokenChain(options: TokenChainOptions): TokenAuthenticator {
  const { authenticators, apiAudiences, clock, cacheTtlMs = CACHE_TTL_MS } = options;
  const cache = new Map<
    string,
    { readonly untilMs: number; readonly answer: Promise<Authenticated | undefined> }
  >();

  async function check(token: string, asked: readonly string[]): Promise<Authenticated | undefined> {
    const reasons: string[] = [];
    for (const authenticator of authenticators) {
      try {
        const found = await authenticator.authenticateToken(token, asked);
        const answer = found && accepted(found, asked, apiAudiences);
        if (answer !== undefined) return answer;
      } catch (thrown) {
        if (!(thrown instanceof ApiError && thrown.code === 401)) throw thrown;
        reasons.push(rejectionReason(thrown));
      }
    }
    if (reasons.length > 0)
      throw rejected(reasons.length === 1 ? `${reasons[0]}` : `[${reasons.join(', ')}]`);
    return undefined;
  }

  function remember(key: string, answer: Promise<Authenticated | undefined>): void {
    const entry = { untilMs: clock.monotonic() + cacheTtlMs, answer };
    const forget = (): void => {
      if (cache.get(key) === entry) cache.delete(key);
    };
    cache.set(key, entry);
    answer.then((found) => {
      if (found === undefined) forget();
    }, forget);
    const oldest = cache.keys().next();
    if (cache.size > CACHE_ENTRIES && !oldest.done) cache.delete(oldest.value);
  }

  return {
    name: 'token-chain',
    authenticateToken(token, audiences) {
      const asked = audiences.length === 0 ? apiAudiences : audiences;
      const key = `${digestOf(token).toString('latin1')}${JSON.stringify(asked)}`;
      const known = cache.get(key);
      if (known !== undefined && clock.monotonic() < known.untilMs) return known.answer;
      cache.delete(key);
      const answer = check(token, asked);
      if (cacheTtlMs > 0) remember(key, answer);
      return answer;
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
    async authenticate({ headers }) {
      const token = parseBearer(headers['authorization']?.[0] ?? '');
      if (token === undefined) return undefined;
      const found = await tokens.authenticateToken(token, []);
      if (found === undefined) throw rejected('invalid bearer token');
      return found;
    },
  };
}
