import { apiServices } from '../../api/groups/apiregistration-v1.ts';
import type { Scheme } from '../../api/kinds/scheme.ts';
import type { Environment } from '../../base/environment.ts';
import type { Outbound } from '../../base/http/outbound.ts';
import type { Metrics } from '../../base/metrics/metrics.ts';
import type { Lifetime } from '../../base/lifetime/lifetimes.ts';
import type { Live } from '../../base/lifetime/reloaded.ts';
import { createBootstrapWriter } from '../bootstrap/bootstrap-writer.ts';
import type { ExternalGroupVersion } from '../discovery/external.ts';
import type { Stage } from '../http/pipeline.ts';
import type { ServiceResolver } from '../outbound/service-resolver.ts';
import type { Registry } from '../registry/registry.ts';
import { createAvailability } from './availability.ts';
import { createDiscoveryRequest } from './discovery-request.ts';
import { createExternalVersions } from './external-versions.ts';
import { type LocalVersion, reconcileLocalServices } from './local-services.ts';
import { createProxy } from './proxy.ts';
import type { ProxyCredential } from './remote-peer.ts';
import { createRemoteServices } from './remote-services.ts';

/** What the aggregator needs of the kinds there are now. */
export interface LocalKinds {
  /** Changes as definitions come and go. */
  readonly served: Scheme;
  subscribe(run: () => void): () => void;
}

export interface AggregatorOptions {
  readonly registry: Registry;
  readonly environment: Environment;
  readonly metrics: Metrics;
  /** Those of the program itself: their versions are there from the start to the end. */
  readonly builtIn: Scheme;
  readonly kinds: LocalKinds;
  readonly outbound: Outbound;
  readonly resolve: ServiceResolver;
  /** What other servers know this one by; without it they see its requests as anybody's. */
  readonly credential?: Live<ProxyCredential>;
}

/** Makes one API of several servers': API services, their state, the way to them, what they serve. */
export interface Aggregator extends Lifetime {
  /** Belongs after authorization. */
  readonly stage: Stage;
  /** For discovery. The same array until something changes. */
  external(): readonly ExternalGroupVersion[];
}

export function createAggregator(options: AggregatorOptions): Aggregator {
  const { registry, environment, outbound, resolve, credential, kinds } = options;
  const { vocabulary } = kinds.served;
  const { clock } = environment;
  const stopping = new AbortController();
  const remotes = createRemoteServices(registry, vocabulary, (name) => {
    versions.refresh();
    availability.check(name);
  });
  const versions = createExternalVersions(remotes);
  const discover = createDiscoveryRequest({ outbound, resolve, credential, vocabulary, clock });
  const availability = createAvailability({
    registry,
    environment,
    metrics: options.metrics,
    remotes,
    discover: (remote, signal) => discover(remote, versions.documentOf(remote.name), signal),
    onDiscovery: versions.discovered,
  });
  const reconcile = (isStart: boolean): Promise<void> =>
    reconcileLocalServices({
      writer: createBootstrapWriter(registry, stopping.signal),
      reader: registry.reader(apiServices),
      vocabulary,
      versions: localVersions(kinds.served, options.builtIn),
      isStart,
    });
  // One after the other: each sees what the one before it wrote.
  let last = Promise.resolve();
  const reconcileLater = (): void => {
    last = last.then(async () => {
      if (stopping.signal.aborted) return;
      try {
        await reconcile(false);
      } catch (thrown) {
        if (!stopping.signal.aborted)
          environment.log.warn({ err: thrown }, 'API services could not be brought up to date');
      }
    });
  };
  let unsubscribe: readonly (() => void)[] = [];
  return {
    name: 'aggregator',
    stage: createProxy({ remotes, outbound, resolve, credential, log: environment.log }),
    external: () => versions.list(),
    async start() {
      await reconcile(true);
      unsubscribe = [kinds.subscribe(reconcileLater)];
      remotes.start();
      availability.start();
    },
    async stop() {
      stopping.abort();
      for (const end of unsubscribe) end();
      availability.stop();
      remotes.stop();
      await last;
    },
  };
}

function localVersions(served: Scheme, builtIn: Scheme): readonly LocalVersion[] {
  const found = new Map<string, LocalVersion>();
  const own = new Set(builtIn.kinds.map(({ group, version }) => `${group}/${version}`));
  for (const { group, version } of served.kinds) {
    const key = `${group}/${version}`;
    if (!found.has(key)) found.set(key, { group, version, isCustom: !own.has(key) });
  }
  return [...found.values()];
}
