import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '../../api/groups/admissionregistration-v1.ts';
import { type ObjectLink, type ObjectRule, type RuleFacts, objectRule } from '../../runtime/index.ts';

/** Returns the configuration that declares a webhook. */
export function configurationOf(hook: string, facts: RuleFacts): ObjectLink | undefined {
  const validating = facts
    .list(validatingWebhookConfigurations)
    ?.find(({ webhooks }) => webhooks?.some(({ name }) => name === hook));
  if (validating?.metadata?.name !== undefined)
    return facts.linkTo(validatingWebhookConfigurations, validating.metadata.name);
  const mutating = facts
    .list(mutatingWebhookConfigurations)
    ?.find(({ webhooks }) => webhooks?.some(({ name }) => name === hook));
  return mutating?.metadata?.name === undefined
    ? undefined
    : facts.linkTo(mutatingWebhookConfigurations, mutating.metadata.name);
}

const followed = { controller: 'namespace', follows: true, patienceMs: 0 } as const;

/** Rules that only keep the webhook configurations cached, so that failures can name them. */
export const webhookConfigurations: readonly ObjectRule[] = [
  objectRule({
    ...followed,
    reason: 'webhook-configuration',
    kind: validatingWebhookConfigurations,
    applies: () => false,
    find: () => undefined,
  }),
  objectRule({
    ...followed,
    reason: 'webhook-configuration',
    kind: mutatingWebhookConfigurations,
    applies: () => false,
    find: () => undefined,
  }),
];
