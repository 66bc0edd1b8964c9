import { sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, nameColumn } from '../../kinds/columns.ts';
import type { ApiObject, Column, Strategy } from '../../kinds/kind.ts';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../types/admissionregistration-v1.ts';
import { FIRST_VERSION, validateWebhooks } from '../../validation/control-plane/webhook-configuration.ts';
import { nextGeneration } from '../../kinds/generation.ts';

const SERVICE_PORT = 443;
const TIMEOUT_SECONDS = 10;
const FIRST_TIMEOUT_SECONDS = 30;

type Webhook = ValidatingWebhook | MutatingWebhook;

/** Sets the defaults of a v1 webhook, in place. */
function defaultWebhook(hook: Webhook): void {
  hook.failurePolicy ??= 'Fail';
  hook.matchPolicy ??= 'Equivalent';
  hook.timeoutSeconds ??= TIMEOUT_SECONDS;
  defaultSelection(hook);
}

/** Sets the defaults of a v1beta1 webhook, in place. */
function defaultFirst(hook: Webhook): void {
  hook.failurePolicy ??= 'Ignore';
  hook.matchPolicy ??= 'Exact';
  hook.timeoutSeconds ??= FIRST_TIMEOUT_SECONDS;
  hook.sideEffects ??= 'Unknown';
  if ((hook.admissionReviewVersions ?? []).length === 0) hook.admissionReviewVersions = ['v1beta1'];
  defaultSelection(hook);
}

/** Sets the defaults that both versions share, in place. */
function defaultSelection(hook: Webhook): void {
  hook.namespaceSelector ??= {};
  hook.objectSelector ??= {};
  if (hook.clientConfig?.service) hook.clientConfig.service.port ??= SERVICE_PORT;
  for (const rule of hook.rules ?? []) rule.scope ??= '*';
}

interface Configuration extends ApiObject {
  webhooks?: (ValidatingWebhook | MutatingWebhook)[];
}

/**
 * Hooks that both kinds of webhook configuration share. Each change of the webhooks increments the
 * generation.
 */
const common = {
  prepareForUpdate(next, previous) {
    if (sameValue(next.webhooks, previous.webhooks)) return;
    next.metadata = { ...next.metadata, generation: nextGeneration(previous.metadata?.generation) };
  },
  validate: ({ webhooks }) => validateWebhooks(webhooks ?? []),
} satisfies Strategy<Configuration>;

/** Strategy of ValidatingWebhookConfigurations. */
export const validatingWebhookStrategy: Strategy<ValidatingWebhookConfiguration> = {
  ...common,
  defaults({ webhooks }) {
    for (const hook of webhooks ?? []) defaultWebhook(hook);
  },
};

/** Strategy of MutatingWebhookConfigurations. */
export const mutatingWebhookStrategy: Strategy<MutatingWebhookConfiguration> = {
  ...common,
  defaults({ webhooks }) {
    for (const hook of webhooks ?? []) {
      defaultWebhook(hook);
      hook.reinvocationPolicy ??= 'Never';
    }
  },
};

const first = {
  ...common,
  validate: ({ webhooks }) => validateWebhooks(webhooks ?? [], FIRST_VERSION),
} satisfies Strategy<Configuration>;

/**
 * Strategy of ValidatingWebhookConfigurations at v1beta1, whose webhooks fail open and match exact versions
 * by default.
 */
export const firstValidatingStrategy: Strategy<ValidatingWebhookConfiguration> = {
  ...first,
  defaults({ webhooks }) {
    for (const hook of webhooks ?? []) defaultFirst(hook);
  },
};

/**
 * Strategy of MutatingWebhookConfigurations at v1beta1, whose webhooks fail open and match exact versions by
 * default.
 */
export const firstMutatingStrategy: Strategy<MutatingWebhookConfiguration> = {
  ...first,
  defaults({ webhooks }) {
    for (const hook of webhooks ?? []) {
      defaultFirst(hook);
      hook.reinvocationPolicy ??= 'Never';
    }
  },
};

/** Table columns of both kinds of webhook configuration. */
export const webhookColumns: readonly Column<Configuration>[] = [
  nameColumn,
  {
    name: 'Webhooks',
    type: 'integer',
    description: 'Webhooks indicates the number of webhooks registered in this configuration',
    cell: ({ webhooks }) => (webhooks ?? []).length,
  },
  ageColumn,
];
