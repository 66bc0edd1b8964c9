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

/** The kinds that this server serves itself, and their changes. */
export interface LocalKinds {
  /** The served kinds; a live view that follows CustomResourceDefinitions. */
  readonly served: Scheme;
  /** Calls `run` after each change. Returns a function that removes the subscription. */
  subscribe(run: () => void): () => void;
}

/** Components and options of `createAggregator`. */
export interface AggregatorOptions {
  readonly registry: Registry;
  readonly environment: Environment;
  readonly metrics: Metrics;
  /** Built-in kinds, whose group versions exist as long as the server runs. */
  readonly builtIn: Scheme;
  readonly kinds: LocalKinds;
  readonly outbound: Outbound;
  readonly resolve: ServiceResolver;
  /**
   * Client certificate that identifies this server to other servers. Without a certificate, other servers
   * treat its requests as anonymous.
   */
  readonly credential?: Live<ProxyCredential>;
}

/**
 * The aggregation layer: APIService objects, their availability, the proxy to other API servers, and the
 * discovery documents of those servers.
 */
export interface Aggregator extends Lifetime {
  /** Stage that proxies requests; must be placed after authorization. */
  readonly stage: Stage;
  /**
   * Returns the group versions of other servers for discovery. Returns the same array until a group version
   * changes.
   */
  external(): readonly ExternalGroupVersion[];
}

/** Creates the aggregation layer. */
export function createAggregator(options: AggregatorOptions): Aggregator {
  const { registry, environment, metrics, outbound, resolve, credential, kinds } = options;
  const { clock, log } = environment;
  const { vocabulary } = kinds.served;
  const remotes = createRemoteServices(registry, vocabulary);
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
      remotes.start((name) => {
        versions.refresh();
        availability.check(name);
      });
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

/**
 * Maintains one APIService for each group version that this server serves itself, as kinds are added and
 * removed.
 */
class LocalServices {
  readonly #options: AggregatorOptions;
  readonly #stopping = new AbortController();
  /**
   * The last reconciliation. Reconciliations run one at a time, so that each sees the writes of the previous
   * one.
   */
  #last = Promise.resolve();
  #unsubscribe = (): void => {};

  constructor(options: AggregatorOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#reconcile(true);
    this.#unsubscribe = this.#options.kinds.subscribe(() => {
      this.#last = this.#last.then(() => this.#kindsChanged());
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe();
    await this.#last;
  }

  async #kindsChanged(): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    try {
      await this.#reconcile(false);
    } catch (thrown) {
      if (signal.aborted) return;
      this.#options.environment.log.warn({ err: thrown }, 'reconciliation of local API services failed');
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
  const builtInVersions = new Set(builtIn.kinds.map(({ group, version }) => `${group}/${version}`));
  for (const { group, version } of served.kinds) {
    const key = `${group}/${version}`;
    if (!found.has(key)) found.set(key, { group, version, isCustom: !builtInVersions.has(key) });
  }
  return [...found.values()];
}
