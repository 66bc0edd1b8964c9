import {
  type Infer,
  boolean,
  bytes,
  int32,
  listOf,
  optional,
  ref,
  required,
  string,
  struct,
  time,
  value,
  wordOf,
} from '../schema/schema.ts';
import { JSONSchemaProps } from './apiextensions-v1-schema.ts';
import { ObjectMeta } from './meta-v1.ts';
import { typeMeta } from './type-meta.ts';

const PACKAGE = 'apiextensions-apiserver.pkg.apis.apiextensions.v1';

/** A column of a custom resource's Table. */
export const CustomResourceColumnDefinition = struct(`${PACKAGE}.CustomResourceColumnDefinition`, {
  name: required(1, string),
  type: required(2, string),
  format: value(3, string),
  description: value(4, string),
  priority: value(5, int32),
  jsonPath: required(6, string),
});
export interface CustomResourceColumnDefinition extends Infer<typeof CustomResourceColumnDefinition> {}

/** Reference to the Service of a conversion webhook. */
export const ServiceReference = struct(`${PACKAGE}.ServiceReference`, {
  namespace: required(1, string),
  name: required(2, string),
  path: optional(3, string),
  port: optional(4, int32),
});
export interface ServiceReference extends Infer<typeof ServiceReference> {}

/** Address of a conversion webhook: a URL or a Service. */
export const WebhookClientConfig = struct(`${PACKAGE}.WebhookClientConfig`, {
  url: optional(3, string),
  service: optional(1, ref<ServiceReference>(ServiceReference)),
  caBundle: value(2, bytes),
});
export interface WebhookClientConfig extends Infer<typeof WebhookClientConfig> {}

/** Webhook that converts custom resources between versions. */
export const WebhookConversion = struct(`${PACKAGE}.WebhookConversion`, {
  clientConfig: optional(2, ref<WebhookClientConfig>(WebhookClientConfig)),
  conversionReviewVersions: required(3, listOf(string), { keepsEmpty: true }),
});
export interface WebhookConversion extends Infer<typeof WebhookConversion> {}

/** Method of converting custom resources between versions: none or a webhook. */
export const CustomResourceConversion = struct(`${PACKAGE}.CustomResourceConversion`, {
  strategy: required(1, string),
  webhook: optional(2, ref<WebhookConversion>(WebhookConversion)),
});
export interface CustomResourceConversion extends Infer<typeof CustomResourceConversion> {}

/** Names of a custom kind: kind, list kind, plural, singular, short names and categories. */
export const CustomResourceDefinitionNames = struct(`${PACKAGE}.CustomResourceDefinitionNames`, {
  plural: required(1, string),
  singular: value(2, string),
  shortNames: value(3, listOf(string)),
  kind: required(4, string),
  listKind: value(5, string),
  categories: value(6, listOf(string)),
});
export interface CustomResourceDefinitionNames extends Infer<typeof CustomResourceDefinitionNames> {}

/** Declaration of a status subresource. It has no fields. */
export const CustomResourceSubresourceStatus = struct(`${PACKAGE}.CustomResourceSubresourceStatus`, {});
export interface CustomResourceSubresourceStatus extends Infer<typeof CustomResourceSubresourceStatus> {}

/** Declaration of a scale subresource, with the paths of its values in a custom resource. */
export const CustomResourceSubresourceScale = struct(`${PACKAGE}.CustomResourceSubresourceScale`, {
  specReplicasPath: required(1, string),
  statusReplicasPath: required(2, string),
  labelSelectorPath: optional(3, string),
});
export interface CustomResourceSubresourceScale extends Infer<typeof CustomResourceSubresourceScale> {}

/** Subresources of a custom kind: status and scale. */
export const CustomResourceSubresources = struct(`${PACKAGE}.CustomResourceSubresources`, {
  status: optional(1, ref<CustomResourceSubresourceStatus>(CustomResourceSubresourceStatus)),
  scale: optional(2, ref<CustomResourceSubresourceScale>(CustomResourceSubresourceScale)),
});
export interface CustomResourceSubresources extends Infer<typeof CustomResourceSubresources> {}

/** Schema of one version of a custom kind. */
export const CustomResourceValidation = struct(`${PACKAGE}.CustomResourceValidation`, {
  openAPIV3Schema: optional(1, ref<JSONSchemaProps>(JSONSchemaProps)),
});
export interface CustomResourceValidation extends Infer<typeof CustomResourceValidation> {}

/** One version of a custom kind. */
export const CustomResourceDefinitionVersion = struct(`${PACKAGE}.CustomResourceDefinitionVersion`, {
  name: required(1, string),
  served: required(2, boolean),
  storage: required(3, boolean),
  deprecated: value(7, boolean),
  deprecationWarning: optional(8, string),
  schema: optional(4, ref<CustomResourceValidation>(CustomResourceValidation)),
  subresources: optional(5, ref<CustomResourceSubresources>(CustomResourceSubresources)),
  additionalPrinterColumns: value(
    6,
    listOf(ref<CustomResourceColumnDefinition>(CustomResourceColumnDefinition)),
  ),
});
export interface CustomResourceDefinitionVersion extends Infer<typeof CustomResourceDefinitionVersion> {}

/** Spec of a CustomResourceDefinition: the group, names, scope and versions of a custom kind. */
export const CustomResourceDefinitionSpec = struct(`${PACKAGE}.CustomResourceDefinitionSpec`, {
  group: required(1, string),
  names: required(3, ref<CustomResourceDefinitionNames>(CustomResourceDefinitionNames)),
  scope: required(4, string),
  versions: required(7, listOf(ref<CustomResourceDefinitionVersion>(CustomResourceDefinitionVersion)), {
    keepsEmpty: true,
  }),
  conversion: optional(9, ref<CustomResourceConversion>(CustomResourceConversion)),
  preserveUnknownFields: value(10, boolean),
});
export interface CustomResourceDefinitionSpec extends Infer<typeof CustomResourceDefinitionSpec> {}

/** Condition of a CustomResourceDefinition. */
export const CustomResourceDefinitionCondition = struct(`${PACKAGE}.CustomResourceDefinitionCondition`, {
  type: required(1, string),
  status: required(2, wordOf('True', 'False', 'Unknown')),
  lastTransitionTime: value(3, time),
  reason: value(4, string),
  message: value(5, string),
});
export interface CustomResourceDefinitionCondition extends Infer<typeof CustomResourceDefinitionCondition> {}

/** Status of a CustomResourceDefinition: its conditions, accepted names and stored versions. */
export const CustomResourceDefinitionStatus = struct(`${PACKAGE}.CustomResourceDefinitionStatus`, {
  conditions: required(1, listOf(ref<CustomResourceDefinitionCondition>(CustomResourceDefinitionCondition)), {
    lenient: true,
    listType: 'map',
    listMapKeys: ['type'],
    keepsEmpty: true,
  }),
  acceptedNames: required(2, ref<CustomResourceDefinitionNames>(CustomResourceDefinitionNames), {
    lenient: true,
  }),
  storedVersions: required(3, listOf(string), { lenient: true, keepsEmpty: true }),
});
export interface CustomResourceDefinitionStatus extends Infer<typeof CustomResourceDefinitionStatus> {}

/** Kind CustomResourceDefinition: the declaration of a custom kind. */
export const CustomResourceDefinition = struct(`${PACKAGE}.CustomResourceDefinition`, {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: required(2, ref<CustomResourceDefinitionSpec>(CustomResourceDefinitionSpec)),
  status: value(3, ref<CustomResourceDefinitionStatus>(CustomResourceDefinitionStatus)),
});
export interface CustomResourceDefinition extends Infer<typeof CustomResourceDefinition> {}
