import { defineKind } from '../kinds/kind.ts';
import { SelfSubjectReview, TokenReview } from '../types/authentication-v1.ts';
import { SelfSubjectReview as SelfSubjectReviewV1alpha1 } from '../types/authentication-v1alpha1.ts';
import {
  SelfSubjectReview as SelfSubjectReviewV1beta1,
  TokenReview as TokenReviewV1beta1,
} from '../types/authentication-v1beta1.ts';

export const tokenReviews = defineKind<TokenReview>({
  group: 'authentication',
  version: 'v1',
  kind: 'TokenReview',
  confidential: true,
  plural: 'tokenreviews',
  namespaced: false,
  virtual: true,
  schema: TokenReview,
});

/** Gone since 1.22 (specification 1, section 9.3). */
export const tokenReviewsV1beta1 = defineKind<TokenReviewV1beta1>({
  group: 'authentication',
  version: 'v1beta1',
  kind: 'TokenReview',
  confidential: true,
  plural: 'tokenreviews',
  namespaced: false,
  virtual: true,
  schema: TokenReviewV1beta1,
  deprecated: {
    since: '1.19',
    removedRelease: '1.22',
    replacement: { group: 'authentication', version: 'v1', kind: 'TokenReview' },
  },
});

/**
 * Who one is, as the server sees it. Younger than the release this server follows: clients of today ask for it
 * (`auth whoami`), those of 1.27 at v1beta1, those of 1.26 at v1alpha1.
 */
const selfSubjectReview = {
  group: 'authentication',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
  virtual: true,
} as const;

export const selfSubjectReviews = defineKind<SelfSubjectReview>({
  ...selfSubjectReview,
  version: 'v1',
  schema: SelfSubjectReview,
});

export const selfSubjectReviewsV1beta1 = defineKind<SelfSubjectReviewV1beta1>({
  ...selfSubjectReview,
  version: 'v1beta1',
  schema: SelfSubjectReviewV1beta1,
});

export const selfSubjectReviewsV1alpha1 = defineKind<SelfSubjectReviewV1alpha1>({
  ...selfSubjectReview,
  version: 'v1alpha1',
  schema: SelfSubjectReviewV1alpha1,
});
