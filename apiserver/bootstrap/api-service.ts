import { endpoints, services } from '../../api/groups/index.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { isIP } from 'node:net';
import type { BootstrapWriter } from './bootstrap-writer.ts';

export interface ApiServiceOptions {
  readonly vocabulary: Vocabulary;
  /** URL by which clients reach the API. */
  readonly serverUrl: string;
  /** The first address of the services' range. */
  readonly address: string;
}

const NAMESPACE = 'default';
const HTTPS = 443;

/**
 * The service by which pods reach the API: it has the first address of all, and where the server's own address is one
 * that others can reach, it is the service's endpoint.
 */
export async function ensureApiService(writer: BootstrapWriter, options: ApiServiceOptions): Promise<void> {
  const { vocabulary, serverUrl, address } = options;
  const [name = ''] = vocabulary.serviceNames;
  const { hostname, port } = new URL(serverUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const serverPort = Number(port) || HTTPS;
  const metadata = { name, namespace: NAMESPACE };
  await writer.ensure(services, {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { ...metadata, labels: { component: 'apiserver', provider: vocabulary.product } },
    spec: {
      type: 'ClusterIP',
      clusterIP: address,
      sessionAffinity: 'None',
      ports: [{ name: 'https', port: HTTPS, protocol: 'TCP', targetPort: serverPort }],
    },
  });
  const isReachable = isIP(host) !== 0 && !host.startsWith('127.') && host !== '::1' && host !== '0.0.0.0';
  if (!isReachable) return;
  const subsets = [
    { addresses: [{ ip: host }], ports: [{ name: 'https', port: serverPort, protocol: 'TCP' as const }] },
  ];
  await writer.ensure(
    endpoints,
    { kind: 'Endpoints', apiVersion: 'v1', metadata, subsets },
    (current) => ({ ...structuredClone(current), subsets }) as never,
  );
}
