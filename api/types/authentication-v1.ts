import {
  type Infer,
  boolean,
  int64,
  listOf,
  mapOf,
  ref,
  required,
  string,
  struct,
  time,
  value,
  wrappedList,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Spec of a TokenReview: the token to check and the expected audiences. */
export const TokenReviewSpec = struct('api.authentication.v1.TokenReviewSpec', {
  token: value(1, string),
  audiences: value(2, listOf(string)),
});
export interface TokenReviewSpec extends Infer<typeof TokenReviewSpec> {}

/** User of a checked token. */
export const UserInfo = struct('api.authentication.v1.UserInfo', {
  username: value(1, string),
  uid: value(2, string),
  groups: value(3, listOf(string)),
  extra: value(4, mapOf(wrappedList(string))),
});
export interface UserInfo extends Infer<typeof UserInfo> {}

/** Status of a TokenReview: the result of checking the token. */
export const TokenReviewStatus = struct('api.authentication.v1.TokenReviewStatus', {
  authenticated: value(1, boolean),
  user: value(2, ref<UserInfo>(UserInfo)),
  audiences: value(4, listOf(string)),
  error: value(3, string),
});
export interface TokenReviewStatus extends Infer<typeof TokenReviewStatus> {}

/** Kind TokenReview: a request to check a bearer token and to return its user. */
export const TokenReview = struct('api.authentication.v1.TokenReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<TokenReviewSpec>(TokenReviewSpec)),
  status: value(3, ref<TokenReviewStatus>(TokenReviewStatus)),
});
export interface TokenReview extends Infer<typeof TokenReview> {}

/** Status of a SelfSubjectReview: the user of the request. */
export const SelfSubjectReviewStatus = struct('api.authentication.v1.SelfSubjectReviewStatus', {
  userInfo: value(1, ref<UserInfo>(UserInfo)),
});
export interface SelfSubjectReviewStatus extends Infer<typeof SelfSubjectReviewStatus> {}

/** Kind SelfSubjectReview: a request for the user that the server has authenticated. */
export const SelfSubjectReview = struct('api.authentication.v1.SelfSubjectReview', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  status: value(2, ref<SelfSubjectReviewStatus>(SelfSubjectReviewStatus)),
});
export interface SelfSubjectReview extends Infer<typeof SelfSubjectReview> {}

/** Reference to the object to which a ServiceAccount token is bound. The token expires with this object. */
export const BoundObjectReference = struct('api.authentication.v1.BoundObjectReference', {
  kind: value(1, string),
  apiVersion: value(2, string),
  name: value(3, string),
  uid: value(4, string),
});
export interface BoundObjectReference extends Infer<typeof BoundObjectReference> {}

/** Spec of a TokenRequest: the audiences and the lifetime of the requested token. */
export const TokenRequestSpec = struct('api.authentication.v1.TokenRequestSpec', {
  audiences: required(1, listOf(string)),
  expirationSeconds: required(4, int64, { lenient: true, default: 3600, nullable: true }),
  boundObjectRef: required(3, ref<BoundObjectReference>(BoundObjectReference), {
    lenient: true,
    nullable: true,
  }),
});
export interface TokenRequestSpec extends Infer<typeof TokenRequestSpec> {}

/** Status of a TokenRequest: the issued token and its expiration. */
export const TokenRequestStatus = struct('api.authentication.v1.TokenRequestStatus', {
  token: required(1, string),
  expirationTimestamp: required(2, time),
});
export interface TokenRequestStatus extends Infer<typeof TokenRequestStatus> {}

/** Kind TokenRequest: a request for a ServiceAccount token. */
export const TokenRequest = struct('api.authentication.v1.TokenRequest', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<TokenRequestSpec>(TokenRequestSpec)),
  status: value(3, ref<TokenRequestStatus>(TokenRequestStatus)),
});
export interface TokenRequest extends Infer<typeof TokenRequest> {}
