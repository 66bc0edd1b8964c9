import {
  type Infer,
  boolean,
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
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Attributes of a request to a path that is not a resource. */
export const NonResourceAttributes = struct('api.authorization.v1.NonResourceAttributes', {
  path: value(1, string),
  verb: value(2, string),
});
export interface NonResourceAttributes extends Infer<typeof NonResourceAttributes> {}

/** Attributes of a request to a resource. */
export const ResourceAttributes = struct('api.authorization.v1.ResourceAttributes', {
  namespace: value(1, string),
  verb: value(2, string),
  group: value(3, string),
  version: value(4, string),
  resource: value(5, string),
  subresource: value(6, string),
  name: value(7, string),
});
export interface ResourceAttributes extends Infer<typeof ResourceAttributes> {}

/** Spec of a SubjectAccessReview: a user, and either resource or non-resource attributes. */
export const SubjectAccessReviewSpec = struct('api.authorization.v1.SubjectAccessReviewSpec', {
  resourceAttributes: optional(1, ref<ResourceAttributes>(ResourceAttributes)),
  nonResourceAttributes: optional(2, ref<NonResourceAttributes>(NonResourceAttributes)),
  user: value(3, string),
  groups: value(4, listOf(string)),
  extra: value(5, mapOf(wrappedList(string))),
  uid: value(6, string),
});
export interface SubjectAccessReviewSpec extends Infer<typeof SubjectAccessReviewSpec> {}

/** Status of a SubjectAccessReview: the authorization decision and its reason. */
export const SubjectAccessReviewStatus = struct('api.authorization.v1.SubjectAccessReviewStatus', {
  allowed: required(1, boolean),
  denied: value(4, boolean),
  reason: value(2, string),
  evaluationError: value(3, string),
});
export interface SubjectAccessReviewStatus extends Infer<typeof SubjectAccessReviewStatus> {}

/** Kind SubjectAccessReview: asks whether a user is authorized for an action. */
export const SubjectAccessReview = struct('api.authorization.v1.SubjectAccessReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<SubjectAccessReviewSpec>(SubjectAccessReviewSpec)),
  status: value(3, ref<SubjectAccessReviewStatus>(SubjectAccessReviewStatus)),
});
export interface SubjectAccessReview extends Infer<typeof SubjectAccessReview> {}

/** Spec of a SelfSubjectAccessReview: either resource or non-resource attributes. */
export const SelfSubjectAccessReviewSpec = struct('api.authorization.v1.SelfSubjectAccessReviewSpec', {
  resourceAttributes: optional(1, ref<ResourceAttributes>(ResourceAttributes)),
  nonResourceAttributes: optional(2, ref<NonResourceAttributes>(NonResourceAttributes)),
});
export interface SelfSubjectAccessReviewSpec extends Infer<typeof SelfSubjectAccessReviewSpec> {}

/** Kind SelfSubjectAccessReview: asks whether the user of the request is authorized for an action. */
export const SelfSubjectAccessReview = struct('api.authorization.v1.SelfSubjectAccessReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<SelfSubjectAccessReviewSpec>(SelfSubjectAccessReviewSpec)),
  status: value(3, ref<SubjectAccessReviewStatus>(SubjectAccessReviewStatus)),
});
export interface SelfSubjectAccessReview extends Infer<typeof SelfSubjectAccessReview> {}

/**
 * Kind LocalSubjectAccessReview: asks whether a user is authorized for an action in the namespace of the
 * request.
 */
export const LocalSubjectAccessReview = struct('api.authorization.v1.LocalSubjectAccessReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<SubjectAccessReviewSpec>(SubjectAccessReviewSpec)),
  status: value(3, ref<SubjectAccessReviewStatus>(SubjectAccessReviewStatus)),
});
export interface LocalSubjectAccessReview extends Infer<typeof LocalSubjectAccessReview> {}

/** Spec of a SelfSubjectRulesReview: the namespace in question. */
export const SelfSubjectRulesReviewSpec = struct('api.authorization.v1.SelfSubjectRulesReviewSpec', {
  namespace: value(1, string),
});
export interface SelfSubjectRulesReviewSpec extends Infer<typeof SelfSubjectRulesReviewSpec> {}

/** Verbs that a user may use on paths that are not resources. */
export const NonResourceRule = struct('api.authorization.v1.NonResourceRule', {
  verbs: required(1, listOf(string)),
  nonResourceURLs: value(2, listOf(string)),
});
export interface NonResourceRule extends Infer<typeof NonResourceRule> {}

/** Verbs that a user may use on resources. */
export const ResourceRule = struct('api.authorization.v1.ResourceRule', {
  verbs: required(1, listOf(string)),
  apiGroups: value(2, listOf(string)),
  resources: value(3, listOf(string)),
  resourceNames: value(4, listOf(string)),
});
export interface ResourceRule extends Infer<typeof ResourceRule> {}

/** Status of a SelfSubjectRulesReview: the permissions of the user in the namespace. */
export const SubjectRulesReviewStatus = struct('api.authorization.v1.SubjectRulesReviewStatus', {
  resourceRules: required(1, listOf(ref<ResourceRule>(ResourceRule))),
  nonResourceRules: required(2, listOf(ref<NonResourceRule>(NonResourceRule))),
  incomplete: required(3, boolean),
  evaluationError: value(4, string),
});
export interface SubjectRulesReviewStatus extends Infer<typeof SubjectRulesReviewStatus> {}

/**
 * Kind SelfSubjectRulesReview: asks for all permissions of the user in a namespace. The result is for display
 * and not for decisions.
 */
export const SelfSubjectRulesReview = struct('api.authorization.v1.SelfSubjectRulesReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<SelfSubjectRulesReviewSpec>(SelfSubjectRulesReviewSpec)),
  status: value(3, ref<SubjectRulesReviewStatus>(SubjectRulesReviewStatus)),
});
export interface SelfSubjectRulesReview extends Infer<typeof SelfSubjectRulesReview> {}
