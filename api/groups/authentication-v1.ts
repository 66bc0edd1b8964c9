import { defineKind } from '../kinds/kind.ts';
import { SelfSubjectReview, TokenReview } from '../types/authentication-v1.ts';
import { SelfSubjectReview as SelfSubjectReviewV1alpha1 } from '../types/authentication-v1alpha1.ts';
import {
  SelfSubjectReview as SelfSubjectReviewV1beta1,
  TokenReview as TokenReviewV1beta1,
} from '../types/authentication-v1beta1.ts';

/** Kind `TokenReview` of `authentication/v1`. */
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

/**
 * Removed upstream in 1.22, see
 * https://kubernetes.io/docs/reference/using-api/deprecation-guide/#tokenreview-v122.
 */
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
 * The user of the request as the server sees it. Newer than the release this server follows, but `kubectl
 * auth whoami` requests it: at v1 today, at v1beta1 from 1.27, at v1alpha1 from 1.26.
 */
const selfSubjectReview = {
  group: 'authentication',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
  virtual: true,
} as const;

/** Kind `SelfSubjectReview` of `authentication/v1`. */
export const selfSubjectReviews = defineKind<SelfSubjectReview>({
  ...selfSubjectReview,
  version: 'v1',
  schema: SelfSubjectReview,
});

/** Kind `SelfSubjectReview` of `authentication/v1beta1`. */
export const selfSubjectReviewsV1beta1 = defineKind<SelfSubjectReviewV1beta1>({
  ...selfSubjectReview,
  version: 'v1beta1',
  schema: SelfSubjectReviewV1beta1,
});

/** Kind `SelfSubjectReview` of `authentication/v1alpha1`. */
export const selfSubjectReviewsV1alpha1 = defineKind<SelfSubjectReviewV1alpha1>({
  ...selfSubjectReview,
  version: 'v1alpha1',
  schema: SelfSubjectReviewV1alpha1,
});
