import { isIP } from 'node:net';
import { endpoints, endpointSlices } from '../../api/groups/index.ts';
import { equalJson } from '../../api/schema/own.ts';
import type { EndpointSlice } from '../../api/types/discovery-v1.ts';
import type { Endpoints } from '../../api/types/core-v1-service.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { Timer } from '../../base/clock/clock.ts';
import type { Environment } from '../../base/environment.ts';
import { asError } from '../../base/errors/coded.ts';
import type { Lifetime } from '../../base/lifetime/lifetimes.ts';
import type { Registry } from '../registry/registry.ts';
import { type BootstrapWriter, createBootstrapWriter } from './bootstrap-writer.ts';

export interface ApiEndpointsOptions extends Pick<Environment, 'clock' | 'log'> {
  readonly registry: Registry;
  readonly vocabulary: Vocabulary;
  /** Where members of the cluster reach the server; asked at the start. Undefined: they cannot. */
  readonly address: () => { readonly host: string; readonly port: number } | undefined;
}

const NAMESPACE = 'default';
/** How often upstream's reconciler looks. */
const INTERVAL_MS = 10_000;

/**
 * Keeps the Endpoints and the EndpointSlice of the service by which pods reach the API: both name this server, and are made
 * again when somebody changes or deletes them (release 1.24, `controlplane/reconcilers`).
 */
export function createApiEndpoints(options: ApiEndpointsOptions): Lifetime {
  const { clock, log } = options;
  const aborting = new AbortController();
  const writer = createBootstrapWriter(options.registry, aborting.signal);
  let timer: Timer | undefined;
  const keep = async (address: { readonly host: string; readonly port: number }): Promise<void> => {
    try {
      await reconcile(writer, options.vocabulary, address);
    } catch (thrown) {
      if (aborting.signal.aborted) return;
      log.warn({ err: asError(thrown) }, 'endpoints of the API service are not up to date');
    }
    if (!aborting.signal.aborted) timer = clock.setTimeout(() => void keep(address), INTERVAL_MS);
  };
  return {
    name: 'endpoints of the API service',
    async start() {
      const address = options.address();
      if (address !== undefined) await keep(address);
    },
    stop() {
      aborting.abort();
      clock.clearTimeout(timer);
      return Promise.resolve();
    },
  };
}

/** Whether an address is one that other machines reach. */
export const isReachable = (host: string): boolean =>
  isIP(host) !== 0 && !/^(127\.|0\.0\.0\.0$|169\.254\.|::1?$|fe80:)/i.test(host);

async function reconcile(
  writer: BootstrapWriter,
  vocabulary: Vocabulary,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  const [name = ''] = vocabulary.serviceNames;
  const ports = [{ name: 'https', port, protocol: 'TCP' as const }];
  const wanted: Endpoints = {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: { [vocabulary.key('endpointslice', 'skip-mirror')]: 'true' },
    },
    subsets: [{ addresses: [{ ip: host }], ports }],
  };
  const slice: EndpointSlice = {
    kind: 'EndpointSlice',
    apiVersion: vocabulary.apiVersion('discovery', 'v1'),
    metadata: { name, namespace: NAMESPACE, labels: { [vocabulary.key('', 'service-name')]: name } },
    addressType: isIP(host) === 6 ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [host], conditions: { ready: true } }],
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

type Labelled = { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };

const carries = (current: Labelled, wanted: Labelled): boolean =>
  Object.entries(wanted.metadata?.labels ?? {}).every(
    ([key, text]) => current.metadata?.labels?.[key] === text,
  );

const relabelled = (current: Labelled, wanted: Labelled): object => ({
  ...current.metadata,
  labels: { ...current.metadata?.labels, ...wanted.metadata?.labels },
});

/** A slice of another family is made anew: its type never changes. */
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
