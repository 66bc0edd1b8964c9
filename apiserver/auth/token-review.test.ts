import { describe, expect, it } from 'vitest';
import type { TokenReview } from '../../api/types/authentication-v1.ts';
import { createTokenChain } from './bearer.ts';
import { createTokenReviewHandler } from './token-review.ts';
import { AUDIENCES, context, setUp } from './service-account.fixture.ts';

describe('token review', () => {
  const review = async (token: string, audiences?: string[]) => {
    const { authenticator } = shared;
    const chain = createTokenChain({ authenticators: [authenticator], apiAudiences: AUDIENCES });
    const handler = createTokenReviewHandler(chain, AUDIENCES);
    const body = { spec: { token, ...(audiences ? { audiences } : {}) } } as TokenReview;
    return ((await handler.handle(context(), body, '', '')) as TokenReview).status;
  };
  const shared = setUp();

  it('returns the user of a token and the accepted audiences', async () => {
    expect(await review(await shared.token({ audiences: ['vault', 'api'] }), ['vault', 'y'])).toMatchObject({
      authenticated: true,
      audiences: ['vault'],
      user: { username: 'system:serviceaccount:ns:robot', uid: 'u1' },
    });
    expect(await review(await shared.token())).toMatchObject({ authenticated: true, audiences: ['api'] });
  });

  it('returns why a token is invalid, and rejects an empty token', async () => {
    // Like upstream, the response omits `authenticated` if it is false.
    expect(await review('x')).toEqual({ user: {}, error: 'invalid bearer token' });
    expect((await review(await shared.token(), ['else']))?.error).toBe(
      '[invalid bearer token, token audiences ["api"] is invalid for the target audiences ["else"]]',
    );
    await expect(review('')).rejects.toMatchObject({ code: 400 });
  });
});
