import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../../api/kinds/kind.ts';
import type { RequestContext } from '../request.ts';
import { selfSubjectReviewHandlers } from './self-subject-review.ts';

const review = (version: string, user: UserInfo) => {
  const handler = selfSubjectReviewHandlers.find((each) => each.version === version);
  const context = { user } as unknown as RequestContext;
  return handler?.handle(context, { kind: 'SelfSubjectReview' }, '', '');
};

describe('self subject review', () => {
  it.each(['v1', 'v1beta1', 'v1alpha1'])('returns the user of the request at %s', async (version) => {
    const user = { username: 'jane', uid: '7', groups: ['team'], extra: { scope: ['a', 'b'] } };
    expect(await review(version, user)).toEqual({
      kind: 'SelfSubjectReview',
      status: { userInfo: user },
    });
  });

  it('omits attributes that the user does not have', async () => {
    expect(await review('v1', { username: 'jane', groups: [] })).toMatchObject({
      status: { userInfo: { username: 'jane', groups: [] } },
    });
  });
});
