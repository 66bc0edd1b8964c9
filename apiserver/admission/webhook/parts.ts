import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '../../../api/groups/admissionregistration-v1.ts';
import { namespaces } from '../../../api/groups/core-v1.ts';
import type { ApiObject, Kind, Scheme } from '../../../api/kinds/index.ts';
import type { Enabled } from '../../../api/features/features.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { Environment } from '../../../base/environment.ts';
import type { Outbound } from '../../../base/http/index.ts';
import { createWebhookCaller } from '../../outbound/webhook-caller.ts';
import type { ServiceResolver } from '../../outbound/service-resolver.ts';
import type { ObjectReader, Registry } from '../../registry/registry.ts';
import { type CallWebhook, createCall } from './call.ts';
import { parseWebhookCredentials } from './credentials.ts';
import { type Equivalents, createEquivalents } from './equivalents.ts';
import { type WebhookSource, createWebhookSource } from './hook.ts';
import { type Invoke, createInvoke } from './invocation.ts';
import type { MetricsOf, WebhookMetrics } from './metrics.ts';
import { type UnderPolicy, createUnderPolicy } from './policy.ts';

/** Dependencies of the mutating and validating webhook plugins. */
export interface WebhookDependencies extends Environment {
  readonly vocabulary: Vocabulary;
  /** Served kinds; a live view that follows CustomResourceDefinitions. */
  readonly served: Scheme;
  readonly enabled: Enabled;
  readonly objects: <T extends ApiObject>(kind: Kind<T>) => ObjectReader<T>;
  readonly registry: Pick<Registry, 'converterOf'>;
  /** Returns the metrics that both plugins share. */
  readonly webhookMetrics: () => MetricsOf;
  /** Transport of calls; undefined if outbound requests are disabled, so that every call fails. */
  readonly outbound: Outbound | undefined;
  readonly resolveService: ServiceResolver;
  /**
   * Returns the text of a file that the configuration names. Throws an error that contains the path if the
   * file cannot be read.
   */
  readonly readFile: (path: string) => string;
}

/** Components of one webhook plugin. */
export interface WebhookParts {
  readonly hooks: WebhookSource;
  readonly invoke: Invoke;
  readonly call: CallWebhook;
  readonly underPolicy: UnderPolicy;
  readonly metrics: WebhookMetrics;
  readonly equivalents: Equivalents;
}

/** Creates the components of a plugin. Throws an error if the configuration is invalid. */
export function createWebhookParts(
  sort: 'admit' | 'validating',
  dependencies: WebhookDependencies,
  configuration: unknown,
): WebhookParts {
  const { vocabulary, outbound, clock, random, log, objects, registry } = dependencies;
  const metrics = dependencies.webhookMetrics()(sort);
  const equivalents = createEquivalents(dependencies.served, registry);
  const isMutating = sort === 'admit';
  return {
    hooks: isMutating
      ? createWebhookSource(objects(mutatingWebhookConfigurations))
      : createWebhookSource(objects(validatingWebhookConfigurations)),
    invoke: createInvoke({ vocabulary, equivalents, namespaces: objects(namespaces) }),
    call: createCall({
      vocabulary,
      clock,
      random,
      isMutating,
      caller:
        outbound &&
        createWebhookCaller({ outbound, resolve: dependencies.resolveService, clock, vocabulary }),
      credentialsFor: parseWebhookCredentials(configuration, dependencies),
    }),
    underPolicy: createUnderPolicy({ clock, log, metrics }),
    metrics,
    equivalents,
  };
}
