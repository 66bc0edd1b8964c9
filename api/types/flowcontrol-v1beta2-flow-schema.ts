import {
  type Infer,
  boolean,
  int32,
  listOf,
  oneOf,
  optional,
  ref,
  required,
  string,
  struct,
  time,
  value,
  wordOf,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Method of dividing the requests of a FlowSchema into flows, so that no flow can displace all others. */
export const FlowDistinguisherMethod = struct('api.flowcontrol.v1beta2.FlowDistinguisherMethod', {
  type: required(1, wordOf('ByNamespace', 'ByUser')),
});
export interface FlowDistinguisherMethod extends Infer<typeof FlowDistinguisherMethod> {}

/** Requests to paths that are not resources. A request must match both lists. */
export const NonResourcePolicyRule = struct('api.flowcontrol.v1beta2.NonResourcePolicyRule', {
  verbs: required(1, listOf(string), { listType: 'set' }),
  nonResourceURLs: required(6, listOf(string), { listType: 'set' }),
});
export interface NonResourcePolicyRule extends Infer<typeof NonResourcePolicyRule> {}

/** Requests to resources. A request must match every list. */
export const ResourcePolicyRule = struct('api.flowcontrol.v1beta2.ResourcePolicyRule', {
  verbs: required(1, listOf(string), { listType: 'set' }),
  apiGroups: required(2, listOf(string), { listType: 'set' }),
  resources: required(3, listOf(string), { listType: 'set' }),
  clusterScope: value(4, boolean),
  namespaces: required(5, listOf(string), { lenient: true, listType: 'set' }),
});
export interface ResourcePolicyRule extends Infer<typeof ResourcePolicyRule> {}

/** A subject: the members of a user group. */
export const GroupSubject = struct('api.flowcontrol.v1beta2.GroupSubject', {
  name: required(1, string),
});
export interface GroupSubject extends Infer<typeof GroupSubject> {}

/** A subject: a ServiceAccount. */
export const ServiceAccountSubject = struct('api.flowcontrol.v1beta2.ServiceAccountSubject', {
  namespace: required(1, string),
  name: required(2, string),
});
export interface ServiceAccountSubject extends Infer<typeof ServiceAccountSubject> {}

/** A subject: a single user. */
export const UserSubject = struct('api.flowcontrol.v1beta2.UserSubject', {
  name: required(1, string),
});
export interface UserSubject extends Infer<typeof UserSubject> {}

/** Sender of requests. The member that `kind` names must be set. */
export const Subject = struct(
  'api.flowcontrol.v1beta2.Subject',
  {
    kind: required(1, oneOf('Group', 'ServiceAccount', 'User')),
    user: optional(2, ref<UserSubject>(UserSubject)),
    group: optional(3, ref<GroupSubject>(GroupSubject)),
    serviceAccount: optional(4, ref<ServiceAccountSubject>(ServiceAccountSubject)),
  },
  { discriminator: 'kind' },
);
export interface Subject extends Infer<typeof Subject> {}

/** Subjects and rules of which a request must match at least one each. */
export const PolicyRulesWithSubjects = struct('api.flowcontrol.v1beta2.PolicyRulesWithSubjects', {
  subjects: required(1, listOf(ref<Subject>(Subject)), { listType: 'atomic' }),
  resourceRules: value(2, listOf(ref<ResourcePolicyRule>(ResourcePolicyRule)), { listType: 'atomic' }),
  nonResourceRules: value(3, listOf(ref<NonResourcePolicyRule>(NonResourcePolicyRule)), {
    listType: 'atomic',
  }),
});
export interface PolicyRulesWithSubjects extends Infer<typeof PolicyRulesWithSubjects> {}

/** Reference to the PriorityLevelConfiguration of a FlowSchema. */
export const PriorityLevelConfigurationReference = struct(
  'api.flowcontrol.v1beta2.PriorityLevelConfigurationReference',
  {
    name: required(1, string),
  },
);
export interface PriorityLevelConfigurationReference extends Infer<
  typeof PriorityLevelConfigurationReference
> {}

/** Spec of a FlowSchema: the requests that it matches and their priority level. */
export const FlowSchemaSpec = struct('api.flowcontrol.v1beta2.FlowSchemaSpec', {
  priorityLevelConfiguration: required(
    1,
    ref<PriorityLevelConfigurationReference>(PriorityLevelConfigurationReference),
  ),
  matchingPrecedence: required(2, int32, { lenient: true }),
  distinguisherMethod: optional(3, ref<FlowDistinguisherMethod>(FlowDistinguisherMethod)),
  rules: value(4, listOf(ref<PolicyRulesWithSubjects>(PolicyRulesWithSubjects)), { listType: 'atomic' }),
});
export interface FlowSchemaSpec extends Infer<typeof FlowSchemaSpec> {}

/** Condition of a FlowSchema. */
export const FlowSchemaCondition = struct('api.flowcontrol.v1beta2.FlowSchemaCondition', {
  type: value(1, string),
  status: value(2, wordOf('False', 'True', 'Unknown')),
  lastTransitionTime: value(3, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface FlowSchemaCondition extends Infer<typeof FlowSchemaCondition> {}

/** Status of a FlowSchema. */
export const FlowSchemaStatus = struct('api.flowcontrol.v1beta2.FlowSchemaStatus', {
  conditions: value(1, listOf(ref<FlowSchemaCondition>(FlowSchemaCondition)), {
    listType: 'map',
    listMapKeys: ['type'],
  }),
});
export interface FlowSchemaStatus extends Infer<typeof FlowSchemaStatus> {}

/** Kind FlowSchema: assigns requests to a PriorityLevelConfiguration. */
export const FlowSchema = struct('api.flowcontrol.v1beta2.FlowSchema', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<FlowSchemaSpec>(FlowSchemaSpec)),
  status: value(3, ref<FlowSchemaStatus>(FlowSchemaStatus)),
});
export interface FlowSchema extends Infer<typeof FlowSchema> {}
