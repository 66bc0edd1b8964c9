import {
  type Infer,
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
import { RuleWithOperations, WebhookClientConfig } from './admissionregistration-v1.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';
import { typeMeta } from './type-meta.ts';

/** A webhook that receives requests and may change their objects. */
export const MutatingWebhook = struct('api.admissionregistration.v1beta1.MutatingWebhook', {
  name: required(1, string),
  clientConfig: required(2, ref<WebhookClientConfig>(WebhookClientConfig)),
  rules: value(3, listOf(ref<RuleWithOperations>(RuleWithOperations))),
  failurePolicy: optional(4, oneOf('Fail', 'Ignore')),
  matchPolicy: optional(9, oneOf('Equivalent', 'Exact')),
  namespaceSelector: optional(5, ref<LabelSelector>(LabelSelector)),
  objectSelector: optional(11, ref<LabelSelector>(LabelSelector)),
  sideEffects: optional(6, oneOf('None', 'NoneOnDryRun', 'Some', 'Unknown')),
  timeoutSeconds: optional(7, int32),
  admissionReviewVersions: value(8, listOf(string)),
  reinvocationPolicy: optional(10, oneOf('IfNeeded', 'Never')),
});
export interface MutatingWebhook extends Infer<typeof MutatingWebhook> {}

/** Webhooks that may change objects before they are validated. */
export const MutatingWebhookConfiguration = struct(
  'api.admissionregistration.v1beta1.MutatingWebhookConfiguration',
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

/** A webhook that receives requests and may refuse them. */
export const ValidatingWebhook = struct('api.admissionregistration.v1beta1.ValidatingWebhook', {
  name: required(1, string),
  clientConfig: required(2, ref<WebhookClientConfig>(WebhookClientConfig)),
  rules: value(3, listOf(ref<RuleWithOperations>(RuleWithOperations))),
  failurePolicy: optional(4, oneOf('Fail', 'Ignore')),
  matchPolicy: optional(9, oneOf('Equivalent', 'Exact')),
  namespaceSelector: optional(5, ref<LabelSelector>(LabelSelector)),
  objectSelector: optional(10, ref<LabelSelector>(LabelSelector)),
  sideEffects: optional(6, oneOf('None', 'NoneOnDryRun', 'Some', 'Unknown')),
  timeoutSeconds: optional(7, int32),
  admissionReviewVersions: value(8, listOf(string)),
});
export interface ValidatingWebhook extends Infer<typeof ValidatingWebhook> {}

/** Webhooks that may refuse requests after all changes are made. */
export const ValidatingWebhookConfiguration = struct(
  'api.admissionregistration.v1beta1.ValidatingWebhookConfiguration',
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
