import type { AnyKind } from '../kinds/scheme.ts';
import {
  mutatingWebhookConfigurationsV1beta1,
  validatingWebhookConfigurationsV1beta1,
} from './admissionregistration-v1beta1.ts';
import { customResourceDefinitions } from './apiextensions-v1.ts';
import { apiServices } from './apiregistration-v1.ts';
import { controllerRevisions, daemonSets, deployments, replicaSets, statefulSets } from './apps-v1.ts';
import {
  selfSubjectReviews,
  selfSubjectReviewsV1alpha1,
  selfSubjectReviewsV1beta1,
  tokenReviews,
  tokenReviewsV1beta1,
} from './authentication-v1.ts';
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from './authorization-v1.ts';
import {
  localSubjectAccessReviewsV1beta1,
  selfSubjectAccessReviewsV1beta1,
  selfSubjectRulesReviewsV1beta1,
  subjectAccessReviewsV1beta1,
} from './authorization-v1beta1.ts';
import { cronJobs, jobs } from './batch-v1.ts';
import { cronJobsV1beta1 } from './batch-v1beta1.ts';
import { certificateSigningRequests } from './certificates-v1.ts';
import { leases } from './coordination-v1.ts';
import {
  configMaps,
  events,
  limitRanges,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
} from './core-v1.ts';
import { flowSchemas, priorityLevelConfigurations } from './flowcontrol-v1beta2.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './rbac-v1.ts';
import { endpoints, services } from './core-v1-service.ts';
import { persistentVolumeClaims, persistentVolumes, resourceQuotas } from './core-v1-storage.ts';
import { podDisruptionBudgets } from './policy-v1.ts';
import { podDisruptionBudgetsV1beta1, podSecurityPolicies } from './policy-v1beta1.ts';
import {
  horizontalPodAutoscalers,
  horizontalPodAutoscalersV1,
  horizontalPodAutoscalersV2beta1,
  horizontalPodAutoscalersV2beta2,
} from './autoscaling.ts';
import { bindings, componentStatuses, podTemplates, replicationControllers } from './core-v1-workload.ts';
import { eventsV1 } from './events-v1.ts';
import { eventsV1beta1 } from './events-v1beta1.ts';
import { ingressClasses, ingresses, networkPolicies } from './networking-v1.ts';
import { runtimeClasses } from './node-v1.ts';
import { runtimeClassesV1beta1 } from './node-v1beta1.ts';
import { priorityClasses } from './scheduling-v1.ts';
import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
} from './storage-v1.ts';
import { csiStorageCapacitiesV1beta1 } from './storage-v1beta1.ts';
import { endpointSlices } from './discovery-v1.ts';
import { endpointSlicesV1beta1 } from './discovery-v1beta1.ts';
import { flowSchemasV1beta1, priorityLevelConfigurationsV1beta1 } from './flowcontrol-v1beta1.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from './admissionregistration-v1.ts';

export { customResourceDefinitions } from './apiextensions-v1.ts';
export { apiServices } from './apiregistration-v1.ts';
export { controllerRevisions, daemonSets, deployments, replicaSets, statefulSets } from './apps-v1.ts';
export { endpoints, services } from './core-v1-service.ts';
export { persistentVolumeClaims, persistentVolumes, resourceQuotas } from './core-v1-storage.ts';
export { podDisruptionBudgets } from './policy-v1.ts';
export { podDisruptionBudgetsV1beta1, podSecurityPolicies } from './policy-v1beta1.ts';
export {
  horizontalPodAutoscalers,
  horizontalPodAutoscalersV1,
  horizontalPodAutoscalersV2beta1,
  horizontalPodAutoscalersV2beta2,
} from './autoscaling.ts';
export { bindings, componentStatuses, podTemplates, replicationControllers } from './core-v1-workload.ts';
export {
  validatingWebhookConfigurations,
  mutatingWebhookConfigurations,
  flowSchemas,
  priorityLevelConfigurationsV1beta1,
  flowSchemasV1beta1,
  endpointSlicesV1beta1,
  endpointSlices,
  csiStorageCapacitiesV1beta1,
  volumeAttachments,
  storageClasses,
  csiStorageCapacities,
  csiNodes,
  csiDrivers,
  priorityClasses,
  runtimeClassesV1beta1,
  runtimeClasses,
  networkPolicies,
  ingressClasses,
  ingresses,
  eventsV1beta1,
  eventsV1,
  certificateSigningRequests,
  clusterRoleBindings,
  clusterRoles,
  configMaps,
  cronJobs,
  cronJobsV1beta1,
  events,
  jobs,
  leases,
  limitRanges,
  localSubjectAccessReviews,
  namespaces,
  nodes,
  pods,
  priorityLevelConfigurations,
  roleBindings,
  roles,
  secrets,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  serviceAccounts,
  subjectAccessReviews,
  tokenReviews,
  selfSubjectReviews,
  selfSubjectReviewsV1beta1,
};

/** All built-in kinds at all versions that are served by default. */
export const builtinKinds: readonly AnyKind[] = [
  configMaps,
  events,
  limitRanges,
  namespaces,
  nodes,
  pods,
  secrets,
  serviceAccounts,
  tokenReviews,
  selfSubjectReviews,
  selfSubjectReviewsV1beta1,
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  cronJobs,
  cronJobsV1beta1,
  jobs,
  certificateSigningRequests,
  leases,
  priorityLevelConfigurations,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  eventsV1,
  eventsV1beta1,
  customResourceDefinitions,
  apiServices,
  bindings,
  componentStatuses,
  endpoints,
  persistentVolumeClaims,
  persistentVolumes,
  podTemplates,
  replicationControllers,
  resourceQuotas,
  services,
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
  ingresses,
  ingressClasses,
  networkPolicies,
  runtimeClasses,
  runtimeClassesV1beta1,
  priorityClasses,
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  csiStorageCapacitiesV1beta1,
  podDisruptionBudgets,
  endpointSlices,
  endpointSlicesV1beta1,
  flowSchemasV1beta1,
  priorityLevelConfigurationsV1beta1,
  flowSchemas,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  podDisruptionBudgetsV1beta1,
  podSecurityPolicies,
  horizontalPodAutoscalersV1,
  horizontalPodAutoscalers,
  horizontalPodAutoscalersV2beta1,
  horizontalPodAutoscalersV2beta2,
];

/**
 * Kinds at versions that release 1.24 no longer serves or does not serve yet. Options of the server enable
 * them.
 */
export const formerKinds: readonly AnyKind[] = [
  mutatingWebhookConfigurationsV1beta1,
  validatingWebhookConfigurationsV1beta1,
  localSubjectAccessReviewsV1beta1,
  selfSubjectAccessReviewsV1beta1,
  selfSubjectRulesReviewsV1beta1,
  subjectAccessReviewsV1beta1,
  tokenReviewsV1beta1,
  selfSubjectReviewsV1alpha1,
];
