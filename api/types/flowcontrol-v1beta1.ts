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

/** Assigns requests to a priority level. */
export const FlowSchema = types.FlowSchema;
export type FlowSchema = stable.FlowSchema;

/** A priority level with its share of the server. */
export const PriorityLevelConfiguration = types.PriorityLevelConfiguration;
export type PriorityLevelConfiguration = others.PriorityLevelConfiguration;
