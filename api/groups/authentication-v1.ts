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
 * Kind `TokenReview` of `authentication/v1beta1`, which upstream removed in 1.22. See
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
 * Names of SelfSubjectReview, which returns the user of the request. The kind is newer than release 1.24, but
 * `kubectl auth whoami` requests it: at v1alpha1 from version 1.26, at v1beta1 from 1.27, and at v1 today.
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
