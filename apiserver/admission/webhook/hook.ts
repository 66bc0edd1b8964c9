import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import {
  EVERYTHING,
  type LabelSelector,
  type LabelSelectorObject,
  fromLabelSelector,
} from '../../../api/selectors/index.ts';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  RuleWithOperations,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../../api/types/admissionregistration-v1.ts';
import type { WebhookClientConfig } from '../../outbound/webhook-caller.ts';
import type { ObjectReader } from '../../registry/registry.ts';

/**
 * Webhook of a configuration, parsed for matching
 * (https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#webhook-configuration).
 */
export interface Webhook {
  readonly configuration: string;
  readonly name: string;
  /**
   * Identifier of the webhook across reinvocations. It is unique even if several webhooks have the same name.
   */
  readonly id: string;
  readonly rules: readonly DeepReadonly<RuleWithOperations>[];
  readonly matchPolicy: 'Exact' | 'Equivalent';
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly clientConfig: DeepReadonly<WebhookClientConfig>;
  /** Accepted versions of AdmissionReview, in order of preference. */
  readonly reviewVersions: readonly string[];
  readonly timeoutMs: number;
  /** Policy for a failed call: reject the request or ignore the failure. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** True if the webhook may be called for a dry run. */
  readonly allowsDryRun: boolean;
  readonly isReinvocable: boolean;
}

type Declared = DeepReadonly<ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>>;
type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** Default timeout of v1, for objects stored without a timeout. */
const TIMEOUT_SECONDS = 10;

/** Parses a selector. An invalid selector, which validation prevents from being stored, selects everything. */
function selectorOf(selector: LabelSelectorObject | undefined): LabelSelector {
  try {
    return fromLabelSelector(selector ?? {});
  } catch {
    return EVERYTHING;
  }
}

function webhookOf(configuration: string, hook: Declared, id: string): Webhook {
  return {
    configuration,
    id,
    name: hook.name ?? '',
    rules: hook.rules ?? [],
    matchPolicy: hook.matchPolicy === 'Exact' ? 'Exact' : 'Equivalent',
    namespaceSelector: selectorOf(hook.namespaceSelector),
    objectSelector: selectorOf(hook.objectSelector),
    clientConfig: hook.clientConfig ?? {},
    reviewVersions: hook.admissionReviewVersions ?? [],
    timeoutMs: (hook.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000,
    failurePolicy: hook.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    allowsDryRun: hook.sideEffects === 'None' || hook.sideEffects === 'NoneOnDryRun',
    isReinvocable: hook.reinvocationPolicy === 'IfNeeded',
  };
}

/** Returns the webhooks of one configuration, in order. */
function webhooksOf({ metadata, webhooks = [] }: DeepReadonly<Configuration>): readonly Webhook[] {
  const configuration = metadata?.name ?? '';
  const seen = new Map<string, number>();
  return (webhooks as readonly Declared[]).map((hook) => {
    const name = hook.name ?? '';
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return webhookOf(configuration, hook, `${configuration}/${name}/${before}`);
  });
}

/**
 * Function that returns all webhooks in call order: by the name of their configuration, then by their
 * position in it.
 */
export type WebhookSource = () => readonly Webhook[];

/** Creates a source that follows the configurations. A change takes effect at the next request. */
export function createWebhookSource<T extends Configuration & ApiObject>(
  configurations: Pick<ObjectReader<T>, 'subscribe'>,
): WebhookSource {
  const byName = new Map<string, readonly Webhook[]>();
  let joined: readonly Webhook[] = [];
  let isStale = false;
  configurations.subscribe((configuration, previous) => {
    const name = (configuration ?? previous)?.metadata?.name ?? '';
    if (configuration) byName.set(name, webhooksOf(configuration as DeepReadonly<Configuration>));
    else byName.delete(name);
    isStale = true;
  });
  return () => {
    if (isStale)
      joined = [...byName.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, hooks]) => hooks);
    isStale = false;
    return joined;
  };
}
