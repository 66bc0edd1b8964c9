import { CONDITION } from './shared.ts';
import type { Descriptions } from './texts.ts';

/** Descriptions of the group `flowcontrol`. */
export const flowcontrol = (): Descriptions => ({
  FlowDistinguisherMethod: {
    '': "Separation of one schema's requests into flows, so that one flow cannot crowd out others.",
    type: '`ByUser` or `ByNamespace`.',
  },
  FlowSchema: {
    '': 'Assigns requests to a priority level.',
    spec: 'Selected requests, and their level.',
    status: 'State of the schema: whether its level exists.',
  },
  FlowSchemaCondition: {
    '': "One aspect of a FlowSchema's state.",
    ...CONDITION,
    type: '`Dangling` says that the priority level does not exist.',
  },
  FlowSchemaSpec: {
    '': 'Requests of a priority level.',
    distinguisherMethod:
      'Criterion that separates flows; unset puts all requests of the schema into one flow.',
    matchingPrecedence:
      'Place in the order in which schemas are tried, lower first; 1 to 10000, default 1000.',
    priorityLevelConfiguration: 'Level that the requests get.',
    rules: 'Requests that match any of these; none match when it is empty.',
  },
  FlowSchemaStatus: {
    '': 'State of a FlowSchema.',
    conditions: 'Aspects of its state, one of each type.',
  },
  GroupSubject: {
    '': 'A group of users.',
    name: 'Name of the group; `*` is every one.',
  },
  LimitResponse: {
    '': "Treatment of requests beyond a level's concurrency.",
    queuing: 'Size of the queues; only with type `Queue`.',
    type: '`Queue` lets them wait, `Reject` answers 429 at once.',
  },
  LimitedPriorityLevelConfiguration: {
    '': 'Share of the server that a level has.',
    assuredConcurrencyShares:
      "Weight of the level among all; its share of the server's requests follows from it, default 30.",
    limitResponse: 'Treatment of requests beyond the share; by default they are refused.',
  },
  NonResourcePolicyRule: {
    '': 'Requests to paths that are no resources; both lists must match.',
    nonResourceURLs: 'Paths, with `*` as the whole last step.',
    verbs: 'HTTP methods in lower case; `*` is all of them.',
  },
  PolicyRulesWithSubjects: {
    '': 'Requests of some subjects; a subject and a rule must match.',
    nonResourceRules: 'Requests to paths that are no resources.',
    resourceRules: 'Requests to resources.',
    subjects: 'Senders of the requests.',
  },
  PriorityLevelConfiguration: {
    '': 'A priority level with its share of the server.',
    spec: 'Limits of the level.',
    status: 'State of the level.',
  },
  PriorityLevelConfigurationCondition: {
    '': "One aspect of a priority level's state.",
    ...CONDITION,
    type: 'Name of the aspect.',
  },
  PriorityLevelConfigurationReference: {
    '': 'The priority level that a schema leads to.',
    name: 'Name of the level.',
  },
  PriorityLevelConfigurationSpec: {
    '': 'Limits of a priority level.',
    limited: 'Limits; only with type `Limited`.',
    type: '`Exempt` never lets requests wait, `Limited` does.',
  },
  PriorityLevelConfigurationStatus: {
    '': 'State of a priority level.',
    conditions: 'Aspects of its state, one of each type.',
  },
  QueuingConfiguration: {
    '': 'Queues of a priority level.',
    handSize:
      'Number of queues dealt to a flow, of which it takes the shortest; default 8, at most `queues`.',
    queueLengthLimit: 'Requests that one queue may hold; further ones are refused, default 50.',
    queues: 'Number of queues, more of which keep flows better apart; default 64.',
  },
  ResourcePolicyRule: {
    '': 'Requests to resources; every list must match.',
    apiGroups: 'API groups; `*` is all of them.',
    clusterScope: 'True includes requests that name no namespace; default false.',
    namespaces: 'Namespaces of the requests; `*` is all of them, none needs `clusterScope`.',
    resources: 'Resources and subresources such as `pods/log`; `*` is all of them.',
    verbs: 'Verbs such as `get`; `*` is all of them.',
  },
  ServiceAccountSubject: {
    '': 'A service account.',
    name: 'Name of the account; `*` is every one of the namespace.',
    namespace: 'Namespace of the account.',
  },
  Subject: {
    '': 'Sender of a request; the member that `kind` names must be set.',
    group: 'Users of a group.',
    kind: '`User`, `Group` or `ServiceAccount`.',
    serviceAccount: 'Service accounts.',
    user: 'A single user.',
  },
  UserSubject: {
    '': 'A single user, by name.',
    name: 'Name of the user; `*` is every one.',
  },
});
