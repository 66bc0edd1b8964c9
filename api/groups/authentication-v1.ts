import { defineKind } from '../kinds/kind.ts';
import { SelfSubjectReview, TokenReview } from '../types/authentication-v1.ts';
import { SelfSubjectReview as SelfSubjectReviewV1beta1 } from '../types/authentication-v1beta1.ts';

export const tokenReviews = defineKind<TokenReview>({
  group: 'authentication',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
  virtual: true,
  schema: TokenReview,
});

/**
 * Who one is, as the server sees it. Younger than the release this server follows: clients of today ask for it
 * (`auth whoami`), those of 1.27 at v1beta1.
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
