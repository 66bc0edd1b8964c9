import { atVersion } from '../schema/at-version.ts';
import * as stable from './authentication-v1.ts';

const types = atVersion('v1beta1', {
  SelfSubjectReviewStatus: stable.SelfSubjectReviewStatus,
  SelfSubjectReview: stable.SelfSubjectReview,
  TokenReview: stable.TokenReview,
});

/** Kind SelfSubjectReview: a request for the user that the server has authenticated. */
export const SelfSubjectReview = types.SelfSubjectReview;
export type SelfSubjectReview = stable.SelfSubjectReview;

/** Kind TokenReview, as in v1. */
export const TokenReview = types.TokenReview;
export type TokenReview = stable.TokenReview;
