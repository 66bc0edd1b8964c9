import { type Infer, ref, struct, value } from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { UserInfo } from './authentication-v1.ts';
import { ObjectMeta } from './meta-v1.ts';

/** User that the server recognizes in the caller. */
export const SelfSubjectReviewStatus = struct('api.authentication.v1alpha1.SelfSubjectReviewStatus', {
  userInfo: value(1, ref<UserInfo>(UserInfo)),
});
export interface SelfSubjectReviewStatus extends Infer<typeof SelfSubjectReviewStatus> {}

/** Asks which user the server recognizes in the caller. */
export const SelfSubjectReview = struct('api.authentication.v1alpha1.SelfSubjectReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  status: value(2, ref<SelfSubjectReviewStatus>(SelfSubjectReviewStatus)),
});
export interface SelfSubjectReview extends Infer<typeof SelfSubjectReview> {}
