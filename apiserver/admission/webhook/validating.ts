import { signalOf } from '../../../base/async/index.ts';
import type { AdmissionPlugin, ValidatedRequest } from '../../request.ts';
import { type Invocation, isExempt } from './invocation.ts';
import { type WebhookDependencies, createWebhookParts } from './parts.ts';
import type { Shown } from './review.ts';
import { createShown } from './shown.ts';

const NOTHING_SHOWN: Shown = { object: undefined, previous: undefined };

type Request = ValidatedRequest;

/** Creates a plugin that calls all matching webhooks concurrently. Each webhook can reject the request. */
export function createValidatingWebhooks(
  dependencies: WebhookDependencies,
  configuration: unknown,
): AdmissionPlugin {
  const { hooks, invoke, call, underPolicy, equivalents } = createWebhookParts(
    'validating',
    dependencies,
    configuration,
  );
  const failedOpenKey = dependencies.vocabulary.groupKey(
    'failed-open.validating.webhook.admission',
    'round_0_index_',
  );

  async function ask(
    invocation: Invocation,
    index: number,
    shown: Shown,
    request: Request,
    signal: AbortSignal,
  ) {
    const { hook } = invocation;
    const outcome = await underPolicy(hook, request, () => call(invocation, request, shown, signal));
    if (outcome === 'failed open') request.annotate(`${failedOpenKey}${index}`, hook.name);
  }

  return {
    name: 'ValidatingAdmissionWebhook',
    asksOthers: true,
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    concerns: (kind) => !isExempt({ kind }),
    isIdle: () => hooks().length === 0,
    async validate(request, signal) {
      const invocations: Invocation[] = [];
      for (const hook of hooks()) {
        const invocation = await invoke(hook, request);
        if (invocation) invocations.push(invocation);
      }
      if (invocations.length === 0) return;
      const shownAs = createShown(request, equivalents);
      const shown = await Promise.all(invocations.map((invocation) => shownAs(invocation)));
      signal.throwIfAborted();
      const responses = await Promise.allSettled(
        invocations.map((invocation, index) =>
          ask(invocation, index, shown[index] ?? NOTHING_SHOWN, request, signalOf(signal)),
        ),
      );
      const refused = responses.find((response) => response.status === 'rejected');
      if (refused) throw refused.reason;
    },
  };
}
