import { apiServices } from '../../api/groups/apiregistration-v1.ts';
import type { Scheme } from '../../api/kinds/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { Outbound } from '../../base/http/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { Lifetime, Live } from '../../base/lifetime/index.ts';
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
  const { registry, environment, metrics, outbound, resolve, credential, kinds } = options;
  const { clock, log } = environment;
  const { vocabulary } = kinds.served;
  const remotes = createRemoteServices(registry, vocabulary, (name) => {
    versions.refresh();
    availability.check(name);
  });
  const versions = createExternalVersions(remotes);
  const discover = createDiscoveryRequest({ outbound, resolve, credential, vocabulary, clock });
  const availability = createAvailability({
    registry,
    environment,
    metrics,
    remotes,
    discover: (remote, signal) => discover(remote, versions.documentOf(remote.name), signal),
    onDiscovery: versions.discovered,
  });
  const local = new LocalServices(options);
  return {
    name: 'aggregator',
    stage: createProxy({ remotes, outbound, resolve, credential, log }),
    external: () => versions.list(),
    async start() {
      await local.start();
      remotes.start();
      availability.start();
    },
    async stop() {
      const ended = local.stop();
      availability.stop();
      remotes.stop();
      await ended;
    },
  };
}

/** Keeps an API service for each group version that is served here, as the kinds come and go. */
class LocalServices {
  readonly #options: AggregatorOptions;
  readonly #stopping = new AbortController();
  /** One after the other: each sees what the one before it wrote. */
  #last = Promise.resolve();
  #unsubscribe = (): void => {};

  constructor(options: AggregatorOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#reconcile(true);
    this.#unsubscribe = this.#options.kinds.subscribe(() => {
      this.#last = this.#last.then(() => this.#follow());
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe();
    await this.#last;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    try {
      await this.#reconcile(false);
    } catch (thrown) {
      if (signal.aborted) return;
      this.#options.environment.log.warn({ err: thrown }, 'API services could not be brought up to date');
    }
  }

  #reconcile(isStart: boolean): Promise<void> {
    const { registry, kinds, builtIn } = this.#options;
    return reconcileLocalServices({
      writer: createBootstrapWriter(registry, this.#stopping.signal),
      reader: registry.reader(apiServices),
      vocabulary: kinds.served.vocabulary,
      versions: localVersions(kinds.served, builtIn),
      isStart,
    });
  }
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
