import {
  type Infer,
  bytes,
  inline,
  int32,
  listOf,
  oneOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';

/** Groups, versions, resources and scope to which a webhook rule applies. */
export const Rule = struct('api.admissionregistration.v1.Rule', {
  apiGroups: value(1, listOf(string)),
  apiVersions: value(2, listOf(string)),
  resources: value(3, listOf(string)),
  scope: optional(4, oneOf('*', 'Cluster', 'Namespaced')),
});
export interface Rule extends Infer<typeof Rule> {}

/** Operations and resources of the requests that a webhook receives. A request must match every list. */
export const RuleWithOperations = struct('api.admissionregistration.v1.RuleWithOperations', {
  operations: value(1, listOf(oneOf('*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'))),
  ...inline(2, Rule),
});
export interface RuleWithOperations extends Infer<typeof RuleWithOperations> {}

/** Reference to the Service of an admission webhook. */
export const ServiceReference = struct('api.admissionregistration.v1.ServiceReference', {
  namespace: required(1, string),
  name: required(2, string),
  path: optional(3, string),
  port: optional(4, int32),
});
export interface ServiceReference extends Infer<typeof ServiceReference> {}

/** Address of an admission webhook: a URL or a Service. */
export const WebhookClientConfig = struct('api.admissionregistration.v1.WebhookClientConfig', {
  url: optional(3, string),
  service: optional(1, ref<ServiceReference>(ServiceReference)),
  caBundle: value(2, bytes),
});
export interface WebhookClientConfig extends Infer<typeof WebhookClientConfig> {}

/** A webhook that receives requests and may change their objects. */
export const MutatingWebhook = struct('api.admissionregistration.v1.MutatingWebhook', {
  name: required(1, string),
  clientConfig: required(2, ref<WebhookClientConfig>(WebhookClientConfig)),
  rules: value(3, listOf(ref<RuleWithOperations>(RuleWithOperations))),
  failurePolicy: optional(4, oneOf('Fail', 'Ignore')),
  matchPolicy: optional(9, oneOf('Equivalent', 'Exact')),
  namespaceSelector: optional(5, ref<LabelSelector>(LabelSelector)),
  objectSelector: optional(11, ref<LabelSelector>(LabelSelector)),
  sideEffects: required(6, oneOf('None', 'NoneOnDryRun', 'Some', 'Unknown')),
  timeoutSeconds: optional(7, int32),
  admissionReviewVersions: required(8, listOf(string)),
  reinvocationPolicy: optional(10, oneOf('IfNeeded', 'Never')),
});
export interface MutatingWebhook extends Infer<typeof MutatingWebhook> {}

/** Kind MutatingWebhookConfiguration: webhooks that may change objects before validation. */
export const MutatingWebhookConfiguration = struct(
  'api.admissionregistration.v1.MutatingWebhookConfiguration',
  {
    ...typeMeta,
    metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
    webhooks: value(2, listOf(ref<MutatingWebhook>(MutatingWebhook)), {
      patchStrategy: ['merge'],
      patchMergeKey: 'name',
    }),
  },
);
export interface MutatingWebhookConfiguration extends Infer<typeof MutatingWebhookConfiguration> {}

/** A webhook that receives requests and may reject them. */
export const ValidatingWebhook = struct('api.admissionregistration.v1.ValidatingWebhook', {
  name: required(1, string),
  clientConfig: required(2, ref<WebhookClientConfig>(WebhookClientConfig)),
  rules: value(3, listOf(ref<RuleWithOperations>(RuleWithOperations))),
  failurePolicy: optional(4, oneOf('Fail', 'Ignore')),
  matchPolicy: optional(9, oneOf('Equivalent', 'Exact')),
  namespaceSelector: optional(5, ref<LabelSelector>(LabelSelector)),
  objectSelector: optional(10, ref<LabelSelector>(LabelSelector)),
  sideEffects: required(6, oneOf('None', 'NoneOnDryRun', 'Some', 'Unknown')),
  timeoutSeconds: optional(7, int32),
  admissionReviewVersions: required(8, listOf(string)),
});
export interface ValidatingWebhook extends Infer<typeof ValidatingWebhook> {}

/** Kind ValidatingWebhookConfiguration: webhooks that may reject requests after all changes by webhooks. */
export const ValidatingWebhookConfiguration = struct(
  'api.admissionregistration.v1.ValidatingWebhookConfiguration',
  {
    ...typeMeta,
    metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
    webhooks: value(2, listOf(ref<ValidatingWebhook>(ValidatingWebhook)), {
      patchStrategy: ['merge'],
      patchMergeKey: 'name',
    }),
  },
);
export interface ValidatingWebhookConfiguration extends Infer<typeof ValidatingWebhookConfiguration> {}
