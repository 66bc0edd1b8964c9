import { badRequest, internalError } from '../../api/status/index.ts';
import type { TokenReview, UserInfo as ReviewedUser } from '../../api/types/authentication-v1.ts';
import type { UserInfo } from '../../api/kinds/index.ts';
import type { VirtualHandler } from '../http/virtual/virtual.ts';
import type { Authenticated, TokenAuthenticator } from '../request.ts';
import { isRejection, rejectionReasons } from './rejection.ts';
import { aggregateMessages } from '../aggregate-messages.ts';

/** Converts a user to the format of review objects. */
export const reviewedUser = ({ username, uid, groups, extra }: UserInfo): ReviewedUser => ({
  username,
  ...(uid === undefined ? {} : { uid }),
  groups: [...groups],
  ...(extra === undefined
    ? {}
    : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
});

/**
 * Returns the status for a rejected token. Upstream has two token chains and reports the reasons of both; its
 * first chain accepts only the server's own token, so its reason is always `invalid bearer token`.
 */
const refused = (reasons: readonly string[]): NonNullable<TokenReview['status']> => ({
  user: {},
  error: aggregateMessages(['invalid bearer token', ...reasons]),
});

/**
 * Creates the handler of TokenReview, which authenticates a token with the same chain as requests
 * (https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-review-v1/).
 */
export function createTokenReviewHandler(
  tokens: TokenAuthenticator,
  apiAudiences: readonly string[],
  version: 'v1' | 'v1beta1' = 'v1',
): VirtualHandler {
  return {
    group: 'authentication',
    version,
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
    requested: readonly string[],
  ): Promise<NonNullable<TokenReview['status']>> {
    let found: Authenticated | undefined;
    try {
      found = await tokens.authenticateToken(token, requested);
    } catch (thrown) {
      if (!isRejection(thrown)) throw thrown;
      return refused(rejectionReasons(thrown));
    }
    if (found === undefined) return refused([]);
    const audiences = requested.filter((audience) => found.audiences?.includes(audience));
    if (requested.length > 0 && audiences.length === 0) throw internalError('error validating audiences');
    return { authenticated: true, user: reviewedUser(found.user), audiences };
  }
}
