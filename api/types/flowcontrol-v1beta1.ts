import { atVersion } from '../schema/at-version.ts';
import * as stable from './flowcontrol-v1beta2-flow-schema.ts';
import * as others from './flowcontrol-v1beta2.ts';

const types = atVersion('v1beta1', {
  FlowDistinguisherMethod: stable.FlowDistinguisherMethod,
  NonResourcePolicyRule: stable.NonResourcePolicyRule,
  ResourcePolicyRule: stable.ResourcePolicyRule,
  GroupSubject: stable.GroupSubject,
  ServiceAccountSubject: stable.ServiceAccountSubject,
  UserSubject: stable.UserSubject,
  Subject: stable.Subject,
  PolicyRulesWithSubjects: stable.PolicyRulesWithSubjects,
  PriorityLevelConfigurationReference: stable.PriorityLevelConfigurationReference,
  FlowSchemaSpec: stable.FlowSchemaSpec,
  FlowSchemaCondition: stable.FlowSchemaCondition,
  FlowSchemaStatus: stable.FlowSchemaStatus,
  FlowSchema: stable.FlowSchema,
  QueuingConfiguration: others.QueuingConfiguration,
  LimitResponse: others.LimitResponse,
  LimitedPriorityLevelConfiguration: others.LimitedPriorityLevelConfiguration,
  PriorityLevelConfigurationSpec: others.PriorityLevelConfigurationSpec,
  PriorityLevelConfigurationCondition: others.PriorityLevelConfigurationCondition,
  PriorityLevelConfigurationStatus: others.PriorityLevelConfigurationStatus,
  PriorityLevelConfiguration: others.PriorityLevelConfiguration,
});

/** Kind FlowSchema: assigns requests to a PriorityLevelConfiguration. */
export const FlowSchema = types.FlowSchema;
export type FlowSchema = stable.FlowSchema;

/** Kind PriorityLevelConfiguration: the server's concurrency for a class of requests. */
export const PriorityLevelConfiguration = types.PriorityLevelConfiguration;
export type PriorityLevelConfiguration = others.PriorityLevelConfiguration;
