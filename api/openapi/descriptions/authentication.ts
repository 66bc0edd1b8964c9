import type { Descriptions } from './texts.ts';

/** Descriptions of the group `authentication`. */
export const authentication = (): Descriptions => ({
  BoundObjectReference: {
    '': 'The object that a token lives and ends with.',
    apiVersion: "Group and version of the object's kind.",
    kind: '`Pod` or `Secret`.',
    name: 'Name of the object.',
    uid: 'Identity of the object; unset means the one there is now.',
  },
  SelfSubjectReview: {
    '': 'Asks which user the server recognizes in the caller.',
    status: 'The answer.',
  },
  SelfSubjectReviewStatus: {
    '': 'User that the server recognizes in the caller.',
    userInfo: 'Attributes of the caller, after impersonation.',
  },
  TokenRequest: {
    '': 'Asks for a token of a service account.',
    spec: 'Purpose and lifetime of the token.',
    status: 'The token.',
  },
  TokenRequestSpec: {
    '': 'Purpose and lifetime of a token.',
    audiences: 'Audiences of the token; none means the API server itself.',
    boundObjectRef: 'Object whose deletion ends the token early.',
    expirationSeconds: 'Lifetime in seconds, 600 at least; default 3600, and the server may give another.',
  },
  TokenRequestStatus: {
    '': 'A token that was issued.',
    expirationTimestamp: 'When the token ends.',
    token: 'The token itself, a signed JWT.',
  },
  TokenReview: {
    '': 'Asks whether a bearer token is valid and whose it is.',
    spec: 'Token to be checked.',
    status: 'The answer.',
  },
  TokenReviewSpec: {
    '': 'A token to be checked.',
    audiences:
      'Identifiers of the caller; the token must be valid for one of them, by default for the API server.',
    token: 'The bearer token; never stored.',
  },
  TokenReviewStatus: {
    '': 'Result of checking a token.',
    audiences: 'Requested audiences for which the token is valid.',
    authenticated: 'True when the token belongs to a known user.',
    error: 'Why the token could not be checked.',
    user: 'Owner of the token.',
  },
  UserInfo: {
    '': 'Attributes of a user.',
    extra: 'Further attributes of the authenticator, lists of values by key.',
    groups: 'Groups the user is in.',
    uid: 'Tells the user from others of the same name in other times.',
    username: 'Name that is unique among active users.',
  },
});
