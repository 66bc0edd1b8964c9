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

/** Spec of a SubjectAccessReview, as in v1 except for the name of the list of groups. */
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

/** Kind SubjectAccessReview: asks whether a user is authorized for an action. */
export const SubjectAccessReview = struct('api.authorization.v1beta1.SubjectAccessReview', reviewFields);
export interface SubjectAccessReview extends Infer<typeof SubjectAccessReview> {}

/**
 * Kind LocalSubjectAccessReview: asks whether a user is authorized for an action in the namespace of the
 * request.
 */
export const LocalSubjectAccessReview = struct(
  'api.authorization.v1beta1.LocalSubjectAccessReview',
  reviewFields,
);
export interface LocalSubjectAccessReview extends Infer<typeof LocalSubjectAccessReview> {}

/** Kind SelfSubjectAccessReview: asks whether the user of the request is authorized for an action. */
export const SelfSubjectAccessReview = types.SelfSubjectAccessReview;
export type SelfSubjectAccessReview = stable.SelfSubjectAccessReview;

/**
 * Kind SelfSubjectRulesReview: asks for all permissions of the user in a namespace. The result is for display
 * and not for decisions.
 */
export const SelfSubjectRulesReview = types.SelfSubjectRulesReview;
export type SelfSubjectRulesReview = stable.SelfSubjectRulesReview;
