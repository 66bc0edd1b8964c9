import { atVersion } from '../schema/at-version.ts';
import * as stable from './authentication-v1.ts';

const types = atVersion('v1alpha1', {
  SelfSubjectReviewStatus: stable.SelfSubjectReviewStatus,
  SelfSubjectReview: stable.SelfSubjectReview,
});

/** Asks which user the server recognizes in the caller. */
export const SelfSubjectReview = types.SelfSubjectReview;
export type SelfSubjectReview = stable.SelfSubjectReview;
