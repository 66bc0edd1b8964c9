import type { SelfSubjectReview } from '../../api/types/authentication-v1.ts';
import type { VirtualHandler } from '../http/virtual/virtual.ts';
import { reviewedUser } from './token-review.ts';

/** Handlers of SelfSubjectReview, which returns the client's own identity after impersonation. */
export const selfSubjectReviewHandlers: readonly VirtualHandler[] = ['v1', 'v1beta1', 'v1alpha1'].map(
  (version) => ({
    group: 'authentication',
    version,
    resource: 'selfsubjectreviews',
    subresource: '',
    async handle({ user }, body) {
      const status: SelfSubjectReview['status'] = { userInfo: reviewedUser(user) };
      return { ...body, status };
    },
  }),
);
