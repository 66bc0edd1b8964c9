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

/** A request to a path that is not a resource. */
export const NonResourceAttributes = struct('api.authorization.v1.NonResourceAttributes', {
  path: value(1, string),
  verb: value(2, string),
});
export interface NonResourceAttributes extends Infer<typeof NonResourceAttributes> {}

/** A request to a resource. */
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

/** A user and an action: one of the two kinds of requests. */
export const SubjectAccessReviewSpec = struct('api.authorization.v1.SubjectAccessReviewSpec', {
  resourceAttributes: optional(1, ref<ResourceAttributes>(ResourceAttributes)),
  nonResourceAttributes: optional(2, ref<NonResourceAttributes>(NonResourceAttributes)),
  user: value(3, string),
  groups: value(4, listOf(string)),
  extra: value(5, mapOf(wrappedList(string))),
  uid: value(6, string),
});
export interface SubjectAccessReviewSpec extends Infer<typeof SubjectAccessReviewSpec> {}

/** Decision on a request. */
export const SubjectAccessReviewStatus = struct('api.authorization.v1.SubjectAccessReviewStatus', {
  allowed: required(1, boolean),
  denied: value(4, boolean),
  reason: value(2, string),
  evaluationError: value(3, string),
});
export interface SubjectAccessReviewStatus extends Infer<typeof SubjectAccessReviewStatus> {}

/** Asks whether a user may do something. */
export const SubjectAccessReview = struct('api.authorization.v1.SubjectAccessReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<SubjectAccessReviewSpec>(SubjectAccessReviewSpec)),
  status: value(3, ref<SubjectAccessReviewStatus>(SubjectAccessReviewStatus)),
});
export interface SubjectAccessReview extends Infer<typeof SubjectAccessReview> {}

/** Action of the caller: one of the two kinds of requests. */
export const SelfSubjectAccessReviewSpec = struct('api.authorization.v1.SelfSubjectAccessReviewSpec', {
  resourceAttributes: optional(1, ref<ResourceAttributes>(ResourceAttributes)),
  nonResourceAttributes: optional(2, ref<NonResourceAttributes>(NonResourceAttributes)),
});
export interface SelfSubjectAccessReviewSpec extends Infer<typeof SelfSubjectAccessReviewSpec> {}

/** Asks whether the caller may do something. */
export const SelfSubjectAccessReview = struct('api.authorization.v1.SelfSubjectAccessReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<SelfSubjectAccessReviewSpec>(SelfSubjectAccessReviewSpec)),
  status: value(3, ref<SubjectAccessReviewStatus>(SubjectAccessReviewStatus)),
});
export interface SelfSubjectAccessReview extends Infer<typeof SelfSubjectAccessReview> {}

/** Asks whether a user may do something in the namespace of the request. */
export const LocalSubjectAccessReview = struct('api.authorization.v1.LocalSubjectAccessReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<SubjectAccessReviewSpec>(SubjectAccessReviewSpec)),
  status: value(3, ref<SubjectAccessReviewStatus>(SubjectAccessReviewStatus)),
});
export interface LocalSubjectAccessReview extends Infer<typeof LocalSubjectAccessReview> {}

/** Subject of the question. */
export const SelfSubjectRulesReviewSpec = struct('api.authorization.v1.SelfSubjectRulesReviewSpec', {
  namespace: value(1, string),
});
export interface SelfSubjectRulesReviewSpec extends Infer<typeof SelfSubjectRulesReviewSpec> {}

/** Verbs on paths that are no resources. */
export const NonResourceRule = struct('api.authorization.v1.NonResourceRule', {
  verbs: required(1, listOf(string)),
  nonResourceURLs: value(2, listOf(string)),
});
export interface NonResourceRule extends Infer<typeof NonResourceRule> {}

/** Verbs on resources. */
export const ResourceRule = struct('api.authorization.v1.ResourceRule', {
  verbs: required(1, listOf(string)),
  apiGroups: value(2, listOf(string)),
  resources: value(3, listOf(string)),
  resourceNames: value(4, listOf(string)),
});
export interface ResourceRule extends Infer<typeof ResourceRule> {}

/** Permissions of a user in a namespace. */
export const SubjectRulesReviewStatus = struct('api.authorization.v1.SubjectRulesReviewStatus', {
  resourceRules: required(1, listOf(ref<ResourceRule>(ResourceRule))),
  nonResourceRules: required(2, listOf(ref<NonResourceRule>(NonResourceRule))),
  incomplete: required(3, boolean),
  evaluationError: value(4, string),
});
export interface SubjectRulesReviewStatus extends Infer<typeof SubjectRulesReviewStatus> {}

/** Asks what the caller may do in a namespace, for display rather than for decisions. */
export const SelfSubjectRulesReview = struct('api.authorization.v1.SelfSubjectRulesReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<SelfSubjectRulesReviewSpec>(SelfSubjectRulesReviewSpec)),
  status: value(3, ref<SubjectRulesReviewStatus>(SubjectRulesReviewStatus)),
});
export interface SelfSubjectRulesReview extends Infer<typeof SelfSubjectRulesReview> {}
