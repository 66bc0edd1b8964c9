import { endpoints, nodes, pods, services } from '../../api/groups/index.ts';
import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import { ApiError, badRequest, notFound, serviceUnavailable } from '../../api/status/api-error.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import { firstHeader } from '../../base/http/message.ts';
import type { Connector } from '../http/connect.ts';
import type { Registry } from '../registry/registry.ts';

/**
 * Finds where connections to pods, nodes and services go (release 1.24, the `Location` functions of their stores). This
 * server reaches neither node agents nor the network of pods: what there is to connect to is refused last.
 */
export function createConnector(registry: Registry): Connector {
  async function podOf(namespace: string, name: string): Promise<DeepReadonly<Pod>> {
    const pod = await registry.reader(pods).live(namespace, name);
    if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, name);
    return pod;
  }

  async function checkAgent(name: string): Promise<void> {
    const node = await registry.reader(nodes).live('', name);
    if (node === undefined) throw notFound({ group: '', resource: 'nodes' }, name);
    const addresses = node.status?.addresses ?? [];
    if (addresses.length === 0) throw unexplained('no preferred addresses found; known addresses: []');
  }

  async function toContainer(namespace: string, name: string, options: ApiObject): Promise<void> {
    const pod = await podOf(namespace, name);
    const { container } = options as { readonly container?: string };
    checkContainer(pod, container ?? '');
    await toHost(pod);
  }

  async function toHost(pod: DeepReadonly<Pod>): Promise<void> {
    const nodeName = pod.spec?.nodeName ?? '';
    if (nodeName === '') throw badRequest(`pod ${pod.metadata?.name ?? ''} does not have a host assigned`);
    await checkAgent(nodeName);
  }

  async function toProxied(resource: string, namespace: string, id: string): Promise<void> {
    const name = nameIn(id);
    if (name === undefined)
      throw badRequest(`invalid ${resource.slice(0, -1)} request ${JSON.stringify(id)}`);
    if (resource === 'nodes') return checkAgent(name);
    if (resource === 'services') return toService(namespace, name, id);
    const pod = await podOf(namespace, name);
    if ((pod.status?.podIP ?? '') === '') throw badRequest('address not allowed');
  }

  async function toService(namespace: string, name: string, id: string): Promise<void> {
    if ((await registry.reader(services).live(namespace, name)) === undefined)
      throw notFound({ group: '', resource: 'services' }, name);
    const found = await registry.reader(endpoints).live(namespace, name);
    if (found === undefined) throw notFound({ group: '', resource: 'endpoints' }, name);
    const ready = (found.subsets ?? []).some(({ addresses = [] }) => addresses.length > 0);
    if (!ready) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(id)}`);
  }

  return async ({ info, http }, kind, options) => {
    const { namespace, name, subresource } = info;
    if (subresource === 'proxy') {
      await toProxied(kind.plural, namespace, name);
      throw serviceUnavailable(
        'error trying to reach service: this server does not reach the network of pods and nodes',
      );
    }
    if (subresource === 'portforward') await toHost(await podOf(namespace, name));
    else await toContainer(namespace, name, options);
    if (!/upgrade/i.test(firstHeader(http.headers, 'connection') ?? ''))
      throw badRequest('Upgrade request required');
    throw unexplained('error dialing backend: this server does not reach node agents');
  };
}

/** One container is meant where there is one; of several one must be named. */
function checkContainer({ metadata, spec }: DeepReadonly<Pod>, container: string): void {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  const name = metadata?.name ?? '';
  if (container !== '') {
    if (!names.includes(container)) throw badRequest(`container ${container} is not valid for pod ${name}`);
  } else if (containers.length > 1)
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`,
    );
}

/** `[scheme:]name[:port]`; undefined for anything else. */
function nameIn(id: string): string | undefined {
  const parts = id.split(':');
  if (parts.length === 1) return id;
  const [first = '', second = '', third] = parts;
  if (parts.length === 2) return first;
  return third !== undefined && parts.length === 3 && ['http', 'https', ''].includes(first)
    ? second
    : undefined;
}

/** Upstream gives these no reason. */
const unexplained = (message: string): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
