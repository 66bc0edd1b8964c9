import { atVersion } from '../schema/at-version.ts';
import {
  type Infer,
  listOf,
  mapOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
  wrappedList,
} from '../schema/schema.ts';
import * as stable from './authorization-v1.ts';
import { ObjectMeta } from './meta-v1.ts';
import { typeMeta } from './type-meta.ts';

const types = atVersion('v1beta1', {
  NonResourceAttributes: stable.NonResourceAttributes,
  ResourceAttributes: stable.ResourceAttributes,
  SubjectAccessReviewStatus: stable.SubjectAccessReviewStatus,
  SelfSubjectAccessReviewSpec: stable.SelfSubjectAccessReviewSpec,
  SelfSubjectAccessReview: stable.SelfSubjectAccessReview,
  SelfSubjectRulesReviewSpec: stable.SelfSubjectRulesReviewSpec,
  NonResourceRule: stable.NonResourceRule,
  ResourceRule: stable.ResourceRule,
  SubjectRulesReviewStatus: stable.SubjectRulesReviewStatus,
  SelfSubjectRulesReview: stable.SelfSubjectRulesReview,
});

/** Spec, as in v1 except for the name of the list of groups. */
const SubjectAccessReviewSpec = struct('api.authorization.v1beta1.SubjectAccessReviewSpec', {
  resourceAttributes: optional(1, ref<stable.ResourceAttributes>(types.ResourceAttributes)),
  nonResourceAttributes: optional(2, ref<stable.NonResourceAttributes>(types.NonResourceAttributes)),
  user: value(3, string),
  group: value(4, listOf(string)),
  extra: value(5, mapOf(wrappedList(string))),
  uid: value(6, string),
});
interface SubjectAccessReviewSpec extends Infer<typeof SubjectAccessReviewSpec> {}

const reviewFields = {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<SubjectAccessReviewSpec>(SubjectAccessReviewSpec)),
  status: value(3, ref<stable.SubjectAccessReviewStatus>(types.SubjectAccessReviewStatus)),
};

/** Asks whether a user may do something. */
export const SubjectAccessReview = struct('api.authorization.v1beta1.SubjectAccessReview', reviewFields);
export interface SubjectAccessReview extends Infer<typeof SubjectAccessReview> {}

/** Asks whether a user may do something in the namespace of the request. */
export const LocalSubjectAccessReview = struct(
  'api.authorization.v1beta1.LocalSubjectAccessReview',
  reviewFields,
);
export interface LocalSubjectAccessReview extends Infer<typeof LocalSubjectAccessReview> {}

/** Asks whether the caller may do something. */
export const SelfSubjectAccessReview = types.SelfSubjectAccessReview;
export type SelfSubjectAccessReview = stable.SelfSubjectAccessReview;

/** Asks what the caller may do in a namespace, for display rather than for decisions. */
export const SelfSubjectRulesReview = types.SelfSubjectRulesReview;
export type SelfSubjectRulesReview = stable.SelfSubjectRulesReview;
