import { type Infer, ref, required, struct, value } from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { TokenReviewSpec, TokenReviewStatus, UserInfo } from './authentication-v1.ts';
import { ObjectMeta } from './meta-v1.ts';

/** User that the server recognizes in the caller. */
export const SelfSubjectReviewStatus = struct('api.authentication.v1beta1.SelfSubjectReviewStatus', {
  userInfo: value(1, ref<UserInfo>(UserInfo)),
});
export interface SelfSubjectReviewStatus extends Infer<typeof SelfSubjectReviewStatus> {}

/** Asks which user the server recognizes in the caller. */
export const SelfSubjectReview = struct('api.authentication.v1beta1.SelfSubjectReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  status: value(2, ref<SelfSubjectReviewStatus>(SelfSubjectReviewStatus)),
});
export interface SelfSubjectReview extends Infer<typeof SelfSubjectReview> {}

/** TokenReview, as in v1. */
export const TokenReview = struct('api.authentication.v1beta1.TokenReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<TokenReviewSpec>(TokenReviewSpec)),
  status: value(3, ref<TokenReviewStatus>(TokenReviewStatus)),
});
export interface TokenReview extends Infer<typeof TokenReview> {}
