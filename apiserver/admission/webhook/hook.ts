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

/** One webhook of a configuration, ready to be asked about requests (specification 1, section 2.7). */
export interface Webhook {
  readonly configuration: string;
  readonly name: string;
  /** Tells webhooks apart from one pass to the next, those of one name too. */
  readonly id: string;
  readonly rules: readonly DeepReadonly<RuleWithOperations>[];
  readonly matchPolicy: 'Exact' | 'Equivalent';
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly clientConfig: DeepReadonly<WebhookClientConfig>;
  /** The versions of the review it understands, the best first. */
  readonly reviewVersions: readonly string[];
  readonly timeoutMs: number;
  /** What a call that fails means. */
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** Whether it may be called for a request that is to change nothing. */
  readonly allowsDryRun: boolean;
  readonly isReinvocable: boolean;
}

type Declared = DeepReadonly<ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>>;
type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

/** Those of version 1, for what was stored without them. */
const TIMEOUT_SECONDS = 10;

/** A selector that cannot be read keeps nothing from its webhook; validation lets none be stored. */
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

/** The webhooks of one configuration, in order. */
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

/** All webhooks there are, in the order they are asked: by the name of their configuration, then as listed there. */
export type WebhookSource = () => readonly Webhook[];

/** Follows the configurations: what they say now is asked at the next request. */
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
