import { services } from '../../api/groups/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { BootstrapWriter } from './bootstrap-writer.ts';

/** Addresses of the Service through which pods reach the API. */
export interface ApiServiceOptions {
  readonly vocabulary: Vocabulary;
  /** URL at which clients reach the API. */
  readonly serverUrl: string;
  /** First address of the service IP range. */
  readonly address: string;
}

const NAMESPACE = 'default';
const HTTPS = 443;

/**
 * Creates the Service through which pods reach the API, at the first service IP address. `api-endpoints.ts`
 * writes the Service's endpoints.
 */
export async function ensureApiService(writer: BootstrapWriter, options: ApiServiceOptions): Promise<void> {
  const { vocabulary, serverUrl, address } = options;
  const [name = ''] = vocabulary.serviceNames;
  const serverPort = Number(new URL(serverUrl).port) || HTTPS;
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
}
