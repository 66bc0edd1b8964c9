import { isIP } from 'node:net';
import { endpoints, endpointSlices } from '../../api/groups/index.ts';
import { equalJson } from '../../api/schema/index.ts';
import type { EndpointSlice } from '../../api/types/discovery-v1.ts';
import type { Endpoints } from '../../api/types/core-v1-service.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Timer } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import { asError } from '../../base/errors/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ApiServers, ServerAddress } from './api-servers.ts';
import { type BootstrapWriter, createBootstrapWriter } from './bootstrap-writer.ts';

/** Components and options of `createApiEndpoints`. */
export interface ApiEndpointsOptions extends Pick<Environment, 'clock' | 'log'> {
  readonly registry: Registry;
  readonly vocabulary: Vocabulary;
  /**
   * Returns the address at which cluster members reach this server. Returns undefined if they cannot reach
   * it. Called once, at startup.
   */
  readonly address: () => ServerAddress | undefined;
  /** Registry of the servers that share the store. The default is this server alone. */
  readonly servers?: ApiServers;
}

const NAMESPACE = 'default';
/** Interval in milliseconds between two updates; equal to upstream's. */
const INTERVAL_MS = 10_000;

/**
 * Maintains the Endpoints and the EndpointSlice of the Service through which pods reach the API. Both objects
 * contain this server and the servers that share its store. Both are repaired when another client changes or
 * deletes them (https://github.com/kubernetes/kubernetes/tree/v1.24.0/pkg/controlplane/reconcilers).
 */
export function createApiEndpoints(options: ApiEndpointsOptions): Lifetime {
  const { clock, log, servers } = options;
  const aborting = new AbortController();
  const writer = createBootstrapWriter(options.registry, aborting.signal);
  let timer: Timer | undefined;
  let keeping = Promise.resolve();
  const keep = async (address: ServerAddress): Promise<void> => {
    try {
      const all = servers ? await servers.announce(address) : [address];
      await reconcile(writer, options.vocabulary, all);
    } catch (thrown) {
      if (aborting.signal.aborted) return;
      log.warn({ err: asError(thrown) }, 'failed to update the endpoints of the API service');
    }
    if (!aborting.signal.aborted) timer = clock.setTimeout(() => void (keeping = keep(address)), INTERVAL_MS);
  };
  return {
    name: 'endpoints of the API service',
    async start() {
      const address = options.address();
      if (address !== undefined) await (keeping = keep(address));
    },
    async stop() {
      aborting.abort();
      clock.clearTimeout(timer);
      await keeping;
      try {
        await servers?.leave();
      } catch (thrown) {
        log.warn(
          { err: asError(thrown) },
          'failed to remove the address of this server; other servers drop it once it expires',
        );
      }
    },
  };
}

/**
 * True if other machines can reach the address, that is, if it is neither loopback, unspecified nor
 * link-local.
 */
export const isReachable = (host: string): boolean =>
  isIP(host) !== 0 && !/^(127\.|0\.0\.0\.0$|169\.254\.|::1?$|fe80:)/i.test(host);

async function reconcile(
  writer: BootstrapWriter,
  vocabulary: Vocabulary,
  addresses: readonly ServerAddress[],
): Promise<void> {
  const [name = ''] = vocabulary.serviceNames;
  const subsets = subsetsOf(addresses);
  const wanted: Endpoints = {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: { [vocabulary.key('endpointslice', 'skip-mirror')]: 'true' },
    },
    subsets: subsets.map(({ hosts, ports }) => ({ addresses: hosts.map((ip) => ({ ip })), ports })),
  };
  // An EndpointSlice has one list of ports and one address family; the first subset determines both.
  const { hosts = [], ports = [] } = subsets[0] ?? {};
  const family = isIP(hosts[0] ?? '');
  const slice: EndpointSlice = {
    kind: 'EndpointSlice',
    apiVersion: vocabulary.apiVersion('discovery', 'v1'),
    metadata: { name, namespace: NAMESPACE, labels: { [vocabulary.key('', 'service-name')]: name } },
    addressType: family === 6 ? 'IPv6' : 'IPv4',
    endpoints: hosts
      .filter((host) => isIP(host) === family)
      .map((host) => ({ addresses: [host], conditions: { ready: true } })),
    ports,
  };
  await Promise.all([
    writer.ensure(endpoints, wanted, (current) =>
      equalJson(current.subsets, wanted.subsets) && carries(current, wanted)
        ? undefined
        : ({
            ...structuredClone(current),
            subsets: wanted.subsets,
            metadata: relabelled(current, wanted),
          } as Endpoints),
    ),
    ensureSlice(writer, slice),
  ]);
}

interface Subset {
  readonly hosts: readonly string[];
  readonly ports: { name: string; port: number; protocol: 'TCP' }[];
}

/**
 * Groups the addresses by port, sorted by host. All servers must use the same order, or each would undo the
 * writes of the others.
 */
function subsetsOf(addresses: readonly ServerAddress[]): readonly Subset[] {
  const byPort = new Map<number, string[]>();
  for (const { host, port } of addresses.toSorted((a, b) => (a.host < b.host ? -1 : 1)))
    byPort.set(port, [...(byPort.get(port) ?? []), host]);
  return [...byPort].map(([port, hosts]) => ({ hosts, ports: [{ name: 'https', port, protocol: 'TCP' }] }));
}

type Labelled = { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };

const carries = (current: Labelled, wanted: Labelled): boolean =>
  Object.entries(wanted.metadata?.labels ?? {}).every(
    ([key, text]) => current.metadata?.labels?.[key] === text,
  );

const relabelled = (current: Labelled, wanted: Labelled): object => ({
  ...current.metadata,
  labels: { ...current.metadata?.labels, ...wanted.metadata?.labels },
});

/**
 * Creates or updates the EndpointSlice. Recreates it if the address family changed, as `addressType` is
 * immutable.
 */
async function ensureSlice(writer: BootstrapWriter, wanted: EndpointSlice): Promise<void> {
  let isOfOtherType = false;
  await writer.ensure(endpointSlices, wanted, (current) => {
    isOfOtherType = current.addressType !== wanted.addressType;
    const { endpoints: held, ports } = current;
    const isSame =
      equalJson(held, wanted.endpoints) && equalJson(ports, wanted.ports) && carries(current, wanted);
    if (isOfOtherType || isSame) return undefined;
    const { endpoints: ready, ports: open } = wanted;
    const metadata = relabelled(current, wanted);
    return { ...structuredClone(current), metadata, endpoints: ready, ports: open } as EndpointSlice;
  });
  if (!isOfOtherType) return;
  await writer.remove(endpointSlices, NAMESPACE, wanted.metadata?.name ?? '');
  await writer.ensure(endpointSlices, wanted);
}
