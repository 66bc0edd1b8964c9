import { defineKind } from '../kinds/kind.ts';
import { WHOLE } from '../kinds/policy.ts';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../types/admissionregistration-v1.ts';
import {
  mutatingWebhookStrategy,
  validatingWebhookStrategy,
  webhookColumns,
} from './admissionregistration/webhook-configuration.ts';

const admissionregistration = {
  group: 'admissionregistration',
  version: 'v1',
  categories: ['api-extensions'],
  namespaced: false,
  anyFinalizer: true,
  generation: true,
} as const;

/** Kind `MutatingWebhookConfiguration` of `admissionregistration/v1`. */
export const mutatingWebhookConfigurations = defineKind<MutatingWebhookConfiguration>({
  ...admissionregistration,
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  schema: MutatingWebhookConfiguration,
  strategy: mutatingWebhookStrategy,
  columns: webhookColumns,
  policy: { unconditionalUpdate: false, rechecks: WHOLE },
});

/** Kind `ValidatingWebhookConfiguration` of `admissionregistration/v1`. */
export const validatingWebhookConfigurations = defineKind<ValidatingWebhookConfiguration>({
  ...admissionregistration,
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  schema: ValidatingWebhookConfiguration,
  strategy: validatingWebhookStrategy,
  columns: webhookColumns,
  policy: { unconditionalUpdate: false, rechecks: WHOLE },
});
