import type { ApiObject } from '../../../api/kinds/index.ts';
import { cloneJson, writeJson } from '../../../api/schema/index.ts';
import { signalOf } from '../../../base/async/index.ts';
import { equalStored } from '../../registry/write/serialisation.ts';
import type { AdmissionPlugin, AdmissionRequest, Reinvocation } from '../../request.ts';
import { type Invocation, isExempt } from './invocation.ts';
import { type WebhookDependencies, type WebhookParts, createWebhookParts } from './parts.ts';
import { type Patch, createPatcher } from './patching.ts';
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
  const webhooks = new MutatingWebhooks(dependencies, configuration);
  return {
    name: NAME,
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    asksOthers: true,
    concerns: (kind) => !isExempt({ kind }),
    isIdle: () => webhooks.parts.hooks().length === 0,
    async mutate(request, signal) {
      const { reinvocation, object } = request;
      const passes = passesOf(reinvocation);
      if (reinvocation?.isReinvocation && passes.left && !equalStored(passes.left, object)) askAgain(passes);
      await webhooks.askAll(request, passes, signalOf(signal));
      passes.left = passes.asked.size > 0 ? cloneJson(object) : undefined;
    },
  };
}

class MutatingWebhooks {
  readonly parts: WebhookParts;
  readonly #patched: Patch;
  /** Keys of annotations of the audit event, to which the webhook's place among all is added. */
  readonly #keys: { readonly mutation: string; readonly patch: string; readonly failedOpen: string };

  constructor(dependencies: WebhookDependencies, configuration: unknown) {
    const { vocabulary } = dependencies;
    this.parts = createWebhookParts('admit', dependencies, configuration);
    this.#patched = createPatcher(dependencies, this.parts.equivalents);
    this.#keys = {
      mutation: vocabulary.groupKey('mutation.webhook.admission', ''),
      patch: vocabulary.groupKey('patch.webhook.admission', ''),
      failedOpen: vocabulary.groupKey('failed-open.mutation.webhook.admission', ''),
    };
  }

  async askAll(request: AdmissionRequest, passes: Passes, signal: AbortSignal): Promise<void> {
    const { hooks, invoke } = this.parts;
    const isSecond = request.reinvocation?.isReinvocation ?? false;
    for (const [index, hook] of hooks().entries()) {
      const invocation = await invoke(hook, request);
      // Nobody is asked for the first time in the second pass.
      if (!invocation || (isSecond && !passes.again.has(hook.id))) continue;
      signal.throwIfAborted();
      const place = `round_${isSecond ? 1 : 0}_index_${index}`;
      if (await this.#ask(invocation, request, place, signal)) {
        askAgain(passes);
        request.reinvocation?.reinvoke();
      }
      if (hook.isReinvocable) passes.asked.add(hook.id);
    }
  }

  /** Whether the webhook has changed the object. */
  async #ask(
    invocation: Invocation,
    request: AdmissionRequest,
    place: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { hook } = invocation;
    const { call, hear, equivalents } = this.parts;
    const named = { configuration: hook.configuration, webhook: hook.name };
    const shown = await shownAs(request, invocation.resource, equivalents);
    let mutated = false;
    try {
      const heard = await hear(hook, request, async () => {
        const answer = await call(invocation, request, shown, signal);
        const patch = await this.#patched(invocation, request, shown.object, answer);
        if (patch === undefined) return;
        mutated = patch.changed;
        const { operations, patchType } = patch;
        const told = writeJson({ ...named, patch: operations, patchType });
        request.annotate(`${this.#keys.patch}${place}`, told, 'Request');
      });
      if (heard === 'failed open') request.annotate(`${this.#keys.failedOpen}${place}`, hook.name);
    } finally {
      request.annotate(`${this.#keys.mutation}${place}`, JSON.stringify({ ...named, mutated }));
    }
    return mutated;
  }
}
