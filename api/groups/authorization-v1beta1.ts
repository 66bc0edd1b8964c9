import { defineKind } from '../kinds/kind.ts';
import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from '../types/authorization-v1beta1.ts';

const authorization = { group: 'authorization', version: 'v1beta1', virtual: true } as const;

/**
 * Returns the deprecation of a kind that upstream removed in 1.22. See
 * https://kubernetes.io/docs/reference/using-api/deprecation-guide/#subjectaccessreview-resources-v122.
 */
const replacedBy = (kind: string) => ({
  deprecated: {
    since: '1.19',
    removedRelease: '1.22',
    replacement: { group: 'authorization', version: 'v1', kind },
  },
});

/** Kind `SubjectAccessReview` of `authorization/v1beta1`. */
export const subjectAccessReviewsV1beta1 = defineKind<SubjectAccessReview>({
  ...authorization,
  ...replacedBy('SubjectAccessReview'),
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
  schema: SubjectAccessReview,
});

/** Kind `SelfSubjectAccessReview` of `authorization/v1beta1`. */
export const selfSubjectAccessReviewsV1beta1 = defineKind<SelfSubjectAccessReview>({
  ...authorization,
  ...replacedBy('SelfSubjectAccessReview'),
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
  schema: SelfSubjectAccessReview,
});

/** Kind `LocalSubjectAccessReview` of `authorization/v1beta1`. */
export const localSubjectAccessReviewsV1beta1 = defineKind<LocalSubjectAccessReview>({
  ...authorization,
  ...replacedBy('LocalSubjectAccessReview'),
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  namespaced: true,
  schema: LocalSubjectAccessReview,
});

/** Kind `SelfSubjectRulesReview` of `authorization/v1beta1`. */
export const selfSubjectRulesReviewsV1beta1 = defineKind<SelfSubjectRulesReview>({
  ...authorization,
  ...replacedBy('SelfSubjectRulesReview'),
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
  schema: SelfSubjectRulesReview,
});
