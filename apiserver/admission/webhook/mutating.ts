import type { ApiObject } from '../../../api/kinds/kind.ts';
import { writeJson } from '../../../api/schema/exact-json.ts';
import { cloneJson } from '../../../api/schema/own.ts';
import { signalOf } from '../../../base/async/cancellation.ts';
import { equalStored } from '../../registry/serialisation.ts';
import type { AdmissionPlugin, AdmissionRequest, Reinvocation } from '../../request.ts';
import type { Webhook } from './hook.ts';
import { type Invocation, isExempt } from './invocation.ts';
import { type WebhookDependencies, createWebhookParts } from './parts.ts';
import { createPatcher } from './patching.ts';
import { shownAs } from './shown.ts';

const NAME = 'MutatingAdmissionWebhook';

/** Which webhooks are asked again, kept from the first pass for the second. */
interface Passes {
  /** Asked already, and ready to be asked again. */
  asked: Set<string>;
  /** To be asked again. */
  readonly again: Set<string>;
  /** The object as this plugin left it; undefined while that is not of interest. */
  left: ApiObject | undefined;
}

function passesOf(reinvocation: Reinvocation | undefined): Passes {
  const found = (reinvocation?.kept.get(NAME) as Passes | undefined) ?? {
    asked: new Set(),
    again: new Set(),
    left: undefined,
  };
  reinvocation?.kept.set(NAME, found);
  return found;
}

/** Another has changed the object since: those that were asked before are asked again. */
function askAgain(passes: Passes): void {
  for (const id of passes.asked) passes.again.add(id);
  passes.asked = new Set();
}

/**
 * Asks the webhooks that a request matches, one after the other; each sees what those before it made of the object. Where
 * one has changed it all plugins run once more, and those webhooks with them that ask for it (release 1.24).
 */
export function createMutatingWebhooks(
  dependencies: WebhookDependencies,
  configuration: unknown,
): AdmissionPlugin {
  const { vocabulary } = dependencies;
  const { hooks, invoke, call, hear, equivalents } = createWebhookParts('admit', dependencies, configuration);
  const patched = createPatcher(dependencies, equivalents);
  const mutationKey = vocabulary.groupKey('mutation.webhook.admission', '');
  const patchKey = vocabulary.groupKey('patch.webhook.admission', '');
  const failedOpenKey = vocabulary.groupKey('failed-open.mutation.webhook.admission', '');

  /** Whether the webhook has changed the object. */
  async function ask(
    invocation: Invocation,
    request: AdmissionRequest,
    place: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { hook } = invocation;
    const named = { configuration: hook.configuration, webhook: hook.name };
    const shown = await shownAs(request, invocation.resource, equivalents);
    let mutated = false;
    try {
      const heard = await hear(hook, request.operation, async () => {
        const answer = await call(invocation, request, shown, signal);
        const patch = await patched(invocation, request, shown.object, answer);
        if (patch === undefined) return;
        mutated = patch.changed;
        const { operations, patchType } = patch;
        request.annotate(
          `${patchKey}${place}`,
          writeJson({ ...named, patch: operations, patchType }),
          'Request',
        );
      });
      if (heard === 'failed open') request.annotate(`${failedOpenKey}${place}`, hook.name);
    } finally {
      request.annotate(`${mutationKey}${place}`, JSON.stringify({ ...named, mutated }));
    }
    return mutated;
  }

  async function askAll(
    all: readonly Webhook[],
    request: AdmissionRequest,
    passes: Passes,
    signal: AbortSignal,
  ): Promise<void> {
    const isSecond = request.reinvocation?.isReinvocation ?? false;
    for (const [index, hook] of all.entries()) {
      const invocation = await invoke(hook, request);
      // Nobody is asked for the first time in the second pass.
      if (!invocation || (isSecond && !passes.again.has(hook.id))) continue;
      signal.throwIfAborted();
      const place = `round_${isSecond ? 1 : 0}_index_${index}`;
      if (await ask(invocation, request, place, signal)) {
        askAgain(passes);
        request.reinvocation?.reinvoke();
      }
      if (hook.isReinvocable) passes.asked.add(hook.id);
    }
  }

  return {
    name: NAME,
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    asksOthers: true,
    concerns: (kind) => !isExempt({ kind }),
    isIdle: () => hooks().length === 0,
    async mutate(request, signal) {
      const { reinvocation, object } = request;
      const passes = passesOf(reinvocation);
      if (reinvocation?.isReinvocation && passes.left && !equalStored(passes.left, object)) askAgain(passes);
      await askAll(hooks(), request, passes, signalOf(signal));
      passes.left = passes.asked.size > 0 ? cloneJson(object) : undefined;
    },
  };
}
