import type { Health, HealthCheck } from './discovery/health.ts';
import type { Storage } from './storage/storage.ts';

/** Where a server is in its life. */
export type Phase = 'new' | 'starting' | 'ready' | 'stopping';

export interface ServerHealthOptions {
  readonly storage: Pick<Storage, 'revision'>;
  /** Further checks, of all three lists. */
  readonly healthChecks?: readonly HealthCheck[] | undefined;
  readonly phase: () => Phase;
}

/** What a server is asked for its health: that it lives, that it has started, and that it is not about to end. */
export function createServerHealth({ storage, healthChecks = [], phase }: ServerHealthOptions): Health {
  const always = (name: string): HealthCheck => ({ name, healthy: () => true });
  // Probes of the real system name this check, whatever the store is.
  const store: HealthCheck = {
    name: 'etcd',
    healthy: async () => {
      await storage.revision();
      return true;
    },
  };
  const started: HealthCheck = {
    name: 'poststarthook/bootstrap',
    healthy: () => phase() === 'ready' || phase() === 'stopping',
  };
  const cached: HealthCheck = { name: 'informer-sync', healthy: () => phase() !== 'new' };
  const staying: HealthCheck = { name: 'shutdown', healthy: () => phase() !== 'stopping' };
  const live = [always('ping'), always('log'), store, ...healthChecks];
  return {
    livez: [...live, started],
    healthz: [...live, started],
    readyz: [...live, cached, started, staying],
  };
}
