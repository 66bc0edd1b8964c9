import { atVersion } from '../schema/at-version.ts';
import * as stable from './authentication-v1.ts';

const types = atVersion('v1alpha1', {
  SelfSubjectReviewStatus: stable.SelfSubjectReviewStatus,
  SelfSubjectReview: stable.SelfSubjectReview,
});

/** Kind SelfSubjectReview: a request for the user that the server has authenticated. */
export const SelfSubjectReview = types.SelfSubjectReview;
export type SelfSubjectReview = stable.SelfSubjectReview;
