import { sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, nameColumn } from '../../kinds/columns.ts';
import type { ApiObject, Column, Strategy } from '../../kinds/kind.ts';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../types/admissionregistration-v1.ts';
import { validateWebhooks } from '../../validation/webhook-configuration.ts';

const SERVICE_PORT = 443;
const TIMEOUT_SECONDS = 10;

/** Defaults of a webhook of either sort, in place. */
function defaultWebhook(hook: ValidatingWebhook | MutatingWebhook): void {
  hook.failurePolicy ??= 'Fail';
  hook.matchPolicy ??= 'Equivalent';
  hook.namespaceSelector ??= {};
  hook.objectSelector ??= {};
  hook.timeoutSeconds ??= TIMEOUT_SECONDS;
  if (hook.clientConfig?.service) hook.clientConfig.service.port ??= SERVICE_PORT;
  for (const rule of hook.rules ?? []) rule.scope ??= '*';
}

interface Configuration extends ApiObject {
  webhooks?: (ValidatingWebhook | MutatingWebhook)[];
}

/** What both sorts of configuration have in common; each change of the webhooks is counted. */
const common = {
  prepareForUpdate(next, previous) {
    if (sameValue(next.webhooks, previous.webhooks)) return;
    next.metadata = { ...next.metadata, generation: (previous.metadata?.generation ?? 0) + 1 };
  },
  validate: ({ webhooks }) => validateWebhooks(webhooks ?? []),
} satisfies Strategy<Configuration>;

export const validatingWebhookStrategy: Strategy<ValidatingWebhookConfiguration> = {
  ...common,
  defaults({ webhooks }) {
    for (const hook of webhooks ?? []) defaultWebhook(hook);
  },
};

export const mutatingWebhookStrategy: Strategy<MutatingWebhookConfiguration> = {
  ...common,
  defaults({ webhooks }) {
    for (const hook of webhooks ?? []) {
      defaultWebhook(hook);
      hook.reinvocationPolicy ??= 'Never';
    }
  },
};

export const webhookColumns: readonly Column<Configuration>[] = [
  nameColumn,
  { name: 'Webhooks', type: 'integer', cell: ({ webhooks }) => (webhooks ?? []).length },
  ageColumn,
];
