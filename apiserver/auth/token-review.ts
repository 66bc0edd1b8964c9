import { badRequest, internalError, ApiError } from '../../api/status/api-error.ts';
import type { TokenReview, UserInfo as ReviewedUser } from '../../api/types/authentication-v1.ts';
import type { UserInfo } from '../../api/kinds/kind.ts';
import type { VirtualHandler } from '../http/virtual.ts';
import type { Authenticated, TokenAuthenticator } from '../request.ts';
import { rejectionReason } from './rejection.ts';

/** A user as reviews write one. */
export const reviewedUser = ({ username, uid, groups, extra }: UserInfo): ReviewedUser => ({
  username,
  ...(uid === undefined ? {} : { uid }),
  groups: [...groups],
  ...(extra === undefined
    ? {}
    : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
});

/** Tells whose token it is, by the chain that requests pass (specification 2, section 2.2). */
export function createTokenReviewHandler(
  tokens: TokenAuthenticator,
  apiAudiences: readonly string[],
): VirtualHandler {
  return {
    group: 'authentication',
    version: 'v1',
    resource: 'tokenreviews',
    subresource: '',
    async handle(_context, body) {
      const review = body as TokenReview;
      if ((review.metadata?.namespace ?? '') !== '')
        throw badRequest(`namespace is not allowed on this type: ${review.metadata?.namespace ?? ''}`);
      const { token = '', audiences = [] } = review.spec;
      if (token === '') throw badRequest('token is required for TokenReview in authentication');
      return {
        ...review,
        status: await reviewToken(token, audiences.length === 0 ? apiAudiences : audiences),
      };
    },
  };

  async function reviewToken(
    token: string,
    asked: readonly string[],
  ): Promise<NonNullable<TokenReview['status']>> {
    let found: Authenticated | undefined;
    try {
      found = await tokens.authenticateToken(token, asked);
    } catch (thrown) {
      if (!(thrown instanceof ApiError && thrown.code === 401)) throw thrown;
      return { authenticated: false, user: {}, error: rejectionReason(thrown) };
    }
    if (found === undefined) return { authenticated: false, user: {}, error: 'invalid bearer token' };
    const audiences = asked.filter((audience) => found.audiences?.includes(audience));
    if (asked.length > 0 && audiences.length === 0)
      throw internalError(`error validating audiences: ${JSON.stringify(found.audiences ?? [])}`);
    return { authenticated: true, user: reviewedUser(found.user), audiences };
  }
}
