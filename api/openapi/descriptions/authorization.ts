import type { Descriptions } from './texts.ts';

/** Descriptions of the group `authorization`. */
export const authorization = (): Descriptions => ({
  LocalSubjectAccessReview: {
    '': 'Asks whether a user may do something in the namespace of the request.',
    spec: 'User and action; its namespace must be that of the request.',
    status: 'The answer.',
  },
  NonResourceAttributes: {
    '': 'A request to a path that is no resource.',
    path: 'Path of the URL, such as `/healthz`.',
    verb: 'HTTP method in lower case.',
  },
  NonResourceRule: {
    '': 'Verbs on paths that are no resources.',
    nonResourceURLs: 'Paths, with `*` as the whole last step.',
    verbs: 'Verbs such as `get`; `*` is all of them.',
  },
  ResourceAttributes: {
    '': 'A request to a resource.',
    group: 'API group of the resource; `*` means all.',
    name: 'Name of the object; empty means all.',
    namespace: 'Namespace of the object; empty for the whole cluster or all namespaces.',
    resource: 'Plural name such as `pods`; `*` means all.',
    subresource: 'Subresource such as `log`; empty means the resource itself.',
    verb: 'Verb such as `get` or `create`; `*` means all.',
    version: 'API version of the resource; `*` means all.',
  },
  ResourceRule: {
    '': 'Verbs on resources.',
    apiGroups: 'Groups of the resources; `*` is all of them.',
    resourceNames: 'Names of single objects; empty means any.',
    resources: 'Resources and subresources such as `pods/log`; `*` is all of them.',
    verbs: 'Verbs such as `get`; `*` is all of them.',
  },
  SelfSubjectAccessReview: {
    '': 'Asks whether the caller may do something.',
    spec: 'Action of the caller.',
    status: 'The answer.',
  },
  SelfSubjectAccessReviewSpec: {
    '': 'Action of the caller: one of the two kinds of requests.',
    nonResourceAttributes: 'Request to a path that is no resource.',
    resourceAttributes: 'Request to a resource.',
  },
  SelfSubjectRulesReview: {
    '': 'Asks what the caller may do in a namespace, for display rather than for decisions.',
    spec: 'Namespace of the question.',
    status: 'The answer, possibly incomplete.',
  },
  SelfSubjectRulesReviewSpec: {
    '': 'Subject of the question.',
    namespace: 'Namespace the rules are for; required.',
  },
  SubjectAccessReview: {
    '': 'Asks whether a user may do something.',
    spec: 'User and action.',
    status: 'The answer.',
  },
  SubjectAccessReviewSpec: {
    '': 'A user and an action: one of the two kinds of requests.',
    extra: 'Further attributes of the user, as its authenticator gives them.',
    group: 'Groups of the user.',
    groups: 'Groups of the user.',
    nonResourceAttributes: 'Request to a path that is no resource.',
    resourceAttributes: 'Request to a resource.',
    uid: 'Identity of the user.',
    user: 'Name of the user; without it, groups are required.',
  },
  SubjectAccessReviewStatus: {
    '': 'Decision on a request.',
    allowed: 'True when the request may be made.',
    denied: 'True if it is denied regardless of other authorizers; otherwise none had an opinion.',
    evaluationError: 'Error of the check; the result may be valid nevertheless.',
    reason: 'Why it is allowed or not, in words.',
  },
  SubjectRulesReviewStatus: {
    '': 'Permissions of a user in a namespace.',
    evaluationError: 'Error of collecting the rules.',
    incomplete: 'True when an authorizer could not list its rules.',
    nonResourceRules: 'Permissions on paths that are no resources, in no particular order.',
    resourceRules: 'Permissions on resources, in no particular order.',
  },
});
