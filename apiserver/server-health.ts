import type { Vocabulary } from '../api/vocabulary/index.ts';
import type { Health, HealthCheck } from './discovery/health.ts';
import type { Storage } from './storage/storage.ts';

/** Where a server is in its life. */
export type Phase = 'new' | 'starting' | 'ready' | 'stopping';

/** What a server starts, in this order. */
export type StartStep = 'registry' | 'extensions' | 'bootstrap' | 'flowcontrol' | 'aggregation';

export interface ServerHealthOptions {
  readonly storage: Pick<Storage, 'revision'>;
  /** Further checks, of all three lists. */
  readonly healthChecks?: readonly HealthCheck[] | undefined;
  readonly phase: () => Phase;
  /** The steps of the start that this server has. */
  readonly steps: readonly StartStep[];
  /** Whether a step has been done. */
  readonly started: (step: StartStep) => boolean;
  readonly vocabulary: Pick<Vocabulary, 'short'>;
}

/**
 * What a server is asked for its health: that it lives, that it has started, and that it is not about to end. Each check of
 * the start bears upstream's name for what its step has brought up, which probes and test suites ask for.
 */
export function createServerHealth(options: ServerHealthOptions): Health {
  const { storage, healthChecks = [], phase, steps, started, vocabulary } = options;
  const always = (name: string): HealthCheck => ({ name, healthy: () => true });
  // Probes of the real system name this check, whatever the store is.
  const store: HealthCheck = {
    name: 'etcd',
    healthy: async () => {
      await storage.revision();
      return true;
    },
  };
  const named = startChecks(vocabulary);
  const hooks = steps.flatMap((step) =>
    named[step].map((name): HealthCheck => ({ name, healthy: () => started(step) })),
  );
  const cached: HealthCheck = { name: 'informer-sync', healthy: () => phase() !== 'new' };
  const staying: HealthCheck = { name: 'shutdown', healthy: () => phase() !== 'stopping' };
  const live = [always('ping'), always('log'), store, ...healthChecks];
  return {
    livez: [...live, ...hooks],
    healthz: [...live, ...hooks],
    readyz: [...live, cached, ...hooks, staying],
  };
}

/** Release 1.24, the hooks behind the start of the three servers that the real one is made of. */
const startChecks = ({ short }: Pick<Vocabulary, 'short'>): Record<StartStep, readonly string[]> => ({
  registry: hooks(`start-${short}-apiserver-admission-initializer`, 'generic-apiserver-start-informers'),
  extensions: hooks(
    'start-apiextensions-informers',
    'start-apiextensions-controllers',
    'crd-informer-synced',
  ),
  bootstrap: hooks(
    'bootstrap-controller',
    'rbac/bootstrap-roles',
    'scheduling/bootstrap-system-priority-classes',
    'start-cluster-authentication-info-controller',
  ),
  flowcontrol: hooks(
    'priority-and-fairness-config-producer',
    'priority-and-fairness-config-consumer',
    'priority-and-fairness-filter',
  ),
  aggregation: [
    ...hooks(
      `start-${short}-aggregator-informers`,
      'aggregator-reload-proxy-client-cert',
      'apiservice-registration-controller',
      'apiservice-status-available-controller',
      `${short}-apiserver-autoregistration`,
    ),
    'autoregister-completion',
    ...hooks('apiservice-openapi-controller'),
  ],
});

const hooks = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `poststarthook/${name}`);
