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

/** State that the reinvocation receives from the first invocation. */
interface ReinvocationState {
  /** Webhooks that were called and may be called again. */
  called: Set<string>;
  /** Webhooks to call again. */
  readonly again: Set<string>;
  /** Object after this plugin ran; undefined if no webhook may be called again. */
  left: ApiObject | undefined;
}

function stateOf(reinvocation: Reinvocation | undefined): ReinvocationState {
  const found = (reinvocation?.kept.get(NAME) as ReinvocationState | undefined) ?? {
    called: new Set(),
    again: new Set(),
    left: undefined,
  };
  reinvocation?.kept.set(NAME, found);
  return found;
}

/** Marks all webhooks called so far for another call, as the object has changed since. */
function callAgain(state: ReinvocationState): void {
  for (const id of state.called) state.again.add(id);
  state.called = new Set();
}

/**
 * Creates a plugin that calls the matching webhooks one after another. Each webhook receives the changes of
 * earlier ones. If a webhook changes the object, all plugins run once more, and webhooks with the
 * reinvocation policy `IfNeeded` are called again
 * (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#reinvocation-policy).
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
      const state = stateOf(reinvocation);
      if (reinvocation?.isReinvocation && state.left && !equalStored(state.left, object)) callAgain(state);
      await webhooks.askAll(request, state, signalOf(signal));
      state.left = state.called.size > 0 ? cloneJson(object) : undefined;
    },
  };
}

class MutatingWebhooks {
  readonly parts: WebhookParts;
  readonly #patched: Patch;
  /** Prefixes of audit annotation keys, to which the index of the webhook is appended. */
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

  async askAll(request: AdmissionRequest, state: ReinvocationState, signal: AbortSignal): Promise<void> {
    const { hooks, invoke } = this.parts;
    const isSecond = request.reinvocation?.isReinvocation ?? false;
    for (const [index, hook] of hooks().entries()) {
      const invocation = await invoke(hook, request);
      // In a reinvocation, no webhook is called for the first time.
      if (!invocation || (isSecond && !state.again.has(hook.id))) continue;
      signal.throwIfAborted();
      const place = `round_${isSecond ? 1 : 0}_index_${index}`;
      if (await this.#ask(invocation, request, place, signal)) {
        callAgain(state);
        request.reinvocation?.reinvoke();
      }
      if (hook.isReinvocable) state.called.add(hook.id);
    }
  }

  /** Calls a webhook. Returns true if the webhook changed the object. */
  async #ask(
    invocation: Invocation,
    request: AdmissionRequest,
    place: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { hook } = invocation;
    const { call, underPolicy, equivalents } = this.parts;
    const named = { configuration: hook.configuration, webhook: hook.name };
    const shown = await shownAs(request, invocation.resource, equivalents);
    let mutated = false;
    try {
      const outcome = await underPolicy(hook, request, async () => {
        const response = await call(invocation, request, shown, signal);
        const patch = await this.#patched(invocation, request, shown.object, response);
        if (patch === undefined) return;
        mutated = patch.changed;
        const { operations, patchType } = patch;
        const annotation = writeJson({ ...named, patch: operations, patchType });
        request.annotate(`${this.#keys.patch}${place}`, annotation, 'Request');
      });
      if (outcome === 'failed open') request.annotate(`${this.#keys.failedOpen}${place}`, hook.name);
    } finally {
      request.annotate(`${this.#keys.mutation}${place}`, JSON.stringify({ ...named, mutated }));
    }
    return mutated;
  }
}
