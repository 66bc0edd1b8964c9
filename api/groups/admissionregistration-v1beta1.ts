import { defineVersion, sameShape } from '../conversion/version.ts';
import type {
  MutatingWebhookConfiguration as StoredMutating,
  ValidatingWebhookConfiguration as StoredValidating,
} from '../types/admissionregistration-v1.ts';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../types/admissionregistration-v1beta1.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from './admissionregistration-v1.ts';
import {
  firstMutatingStrategy,
  firstValidatingStrategy,
} from './admissionregistration/webhook-configuration.ts';

const deprecated = (kind: string) => ({
  since: '1.16',
  removedRelease: '1.22',
  replacement: { group: 'admissionregistration', version: 'v1', kind },
});

/**
 * Kind `MutatingWebhookConfiguration` of `admissionregistration/v1beta1`. Release 1.24 no longer serves it.
 * Objects are stored at v1.
 */
export const mutatingWebhookConfigurationsV1beta1 = defineVersion<StoredMutating, StoredMutating>(
  mutatingWebhookConfigurations,
  {
    version: 'v1beta1',
    schema: MutatingWebhookConfiguration,
    conversion: sameShape(),
    storedStrategy: firstMutatingStrategy,
    deprecated: deprecated('MutatingWebhookConfiguration'),
  },
);

/** Kind `ValidatingWebhookConfiguration` of `admissionregistration/v1beta1`. */
export const validatingWebhookConfigurationsV1beta1 = defineVersion<StoredValidating, StoredValidating>(
  validatingWebhookConfigurations,
  {
    version: 'v1beta1',
    schema: ValidatingWebhookConfiguration,
    conversion: sameShape(),
    storedStrategy: firstValidatingStrategy,
    deprecated: deprecated('ValidatingWebhookConfiguration'),
  },
);
