import type { Vocabulary } from '../api/vocabulary/index.ts';
import type { Health, HealthCheck } from './discovery/health.ts';
import type { ServerLife, StartStep } from './server-life.ts';
import type { Storage } from './storage/storage.ts';

/** Dependencies of `createServerHealth`. */
export interface ServerHealthOptions {
  readonly storage: Pick<Storage, 'revision'>;
  /** Further checks, which all three endpoints include. */
  readonly healthChecks?: readonly HealthCheck[] | undefined;
  readonly life: Pick<ServerLife, 'phase' | 'hasDone'>;
  /** Steps that the start of this server consists of. */
  readonly steps: readonly StartStep[];
  readonly vocabulary: Pick<Vocabulary, 'short'>;
}

/**
 * Creates the checks of `/livez`, `/healthz` and `/readyz`: the store responds, each step of the startup is
 * complete, and the server is not stopping. Probes and test suites use upstream's names of the start checks,
 * so each step is reported under these names.
 */
export function createServerHealth(options: ServerHealthOptions): Health {
  const { storage, healthChecks = [], life, steps, vocabulary } = options;
  const always = (name: string): HealthCheck => ({ name, healthy: () => true });
  // Probes written for upstream use this name, so it is the same for every store.
  const store: HealthCheck = {
    name: 'etcd',
    healthy: async () => {
      await storage.revision();
      return true;
    },
  };
  const named = startChecks(vocabulary);
  const hooks = steps.flatMap((step) =>
    named[step].map((name): HealthCheck => ({ name, healthy: () => life.hasDone(step) })),
  );
  const cached: HealthCheck = { name: 'informer-sync', healthy: () => life.phase !== 'new' };
  const staying: HealthCheck = { name: 'shutdown', healthy: () => life.phase !== 'stopping' };
  const live = [always('ping'), always('log'), store, ...healthChecks];
  return {
    livez: [...live, ...hooks],
    healthz: [...live, ...hooks],
    readyz: [...live, cached, ...hooks, staying],
  };
}

/**
 * Post-start hooks of release 1.24 for each step, from the three servers that upstream's API server consists of
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/cmd/kube-apiserver/app/server.go).
 */
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
