import { type Infer, listOf, oneOf, optional, ref, string, struct, value } from '../schema/schema.ts';
import * as stable from './admissionregistration-v1.ts';

/** Fields that v1 requires and v1beta1 does not. */
const lenient = {
  sideEffects: optional(6, oneOf('None', 'NoneOnDryRun', 'Some', 'Unknown')),
  admissionReviewVersions: value(8, listOf(string)),
};
const webhooks = { patchStrategy: ['merge'], patchMergeKey: 'name' } as const;

/** A webhook that receives requests and may change their objects. */
export const MutatingWebhook = struct('api.admissionregistration.v1beta1.MutatingWebhook', {
  ...stable.MutatingWebhook.fields,
  ...lenient,
});
export interface MutatingWebhook extends Infer<typeof MutatingWebhook> {}

/** Kind MutatingWebhookConfiguration: webhooks that may change objects before validation. */
export const MutatingWebhookConfiguration = struct(
  'api.admissionregistration.v1beta1.MutatingWebhookConfiguration',
  {
    ...stable.MutatingWebhookConfiguration.fields,
    webhooks: value(2, listOf(ref<MutatingWebhook>(MutatingWebhook)), webhooks),
  },
);
export interface MutatingWebhookConfiguration extends Infer<typeof MutatingWebhookConfiguration> {}

/** A webhook that receives requests and may reject them. */
export const ValidatingWebhook = struct('api.admissionregistration.v1beta1.ValidatingWebhook', {
  ...stable.ValidatingWebhook.fields,
  ...lenient,
});
export interface ValidatingWebhook extends Infer<typeof ValidatingWebhook> {}

/** Kind ValidatingWebhookConfiguration: webhooks that may reject requests after all changes by webhooks. */
export const ValidatingWebhookConfiguration = struct(
  'api.admissionregistration.v1beta1.ValidatingWebhookConfiguration',
  {
    ...stable.ValidatingWebhookConfiguration.fields,
    webhooks: value(2, listOf(ref<ValidatingWebhook>(ValidatingWebhook)), webhooks),
  },
);
export interface ValidatingWebhookConfiguration extends Infer<typeof ValidatingWebhookConfiguration> {}
