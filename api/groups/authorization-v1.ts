import { defineKind } from '../kinds/kind.ts';
import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from '../types/authorization-v1.ts';
import {
  localSubjectAccessReviewStrategy,
  selfSubjectAccessReviewStrategy,
  subjectAccessReviewStrategy,
} from './authorization/reviews.ts';

const authorization = { group: 'authorization', version: 'v1', virtual: true } as const;

/** Kind `SubjectAccessReview` of `authorization/v1`. */
export const subjectAccessReviews = defineKind<SubjectAccessReview>({
  ...authorization,
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
  schema: SubjectAccessReview,
  strategy: subjectAccessReviewStrategy,
});

/** Kind `SelfSubjectAccessReview` of `authorization/v1`. */
export const selfSubjectAccessReviews = defineKind<SelfSubjectAccessReview>({
  ...authorization,
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
  schema: SelfSubjectAccessReview,
  strategy: selfSubjectAccessReviewStrategy,
});

/** Kind `LocalSubjectAccessReview` of `authorization/v1`. */
export const localSubjectAccessReviews = defineKind<LocalSubjectAccessReview>({
  ...authorization,
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  namespaced: true,
  schema: LocalSubjectAccessReview,
  strategy: localSubjectAccessReviewStrategy,
});

/** Kind `SelfSubjectRulesReview` of `authorization/v1`. */
export const selfSubjectRulesReviews = defineKind<SelfSubjectRulesReview>({
  ...authorization,
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
  schema: SelfSubjectRulesReview,
});
