import type { AnyKind, DeepReadonly } from '../../api/kinds/index.ts';
import { type ApiError, badRequest, unexplained } from '../../api/status/index.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import { type HttpResponse, type Outbound, asksForWebSocket, upgradeOf } from '../../base/http/index.ts';
import { type DialPolicy, createDialPolicy } from '../../base/net/index.ts';
import type { Random } from '../../base/random/index.ts';
import { type Connector, restOf } from '../http/resources/connect.ts';
import type { Registry } from '../registry/registry.ts';
import type { RequestContext } from '../request.ts';
import { createLocations } from './locations.ts';
import { logOverWebSocket, withoutUpgrade } from './log-socket.ts';
import { NODE_ADDRESS_TYPES, type NodeAgents } from './node-agents.ts';
import { logPath, validateLogOptions } from './pod-log.ts';
import { streamPath } from './pod-stream.ts';
import { proxied } from './proxied.ts';

/** Dependencies of `createConnector`. */
export interface ConnectorOptions {
  readonly registry: Registry;
  /** Transport to pods, nodes and services. Without it, connections fail. */
  readonly outbound: Outbound | undefined;
  readonly random: Random;
  /** Addresses and credentials for node agents. Default: upstream's address types and no credential. */
  readonly nodeAgents?: NodeAgents | undefined;
  /**
   * Policy for the addresses of nodes and pods that the server connects to. Default: all addresses except
   * loopback and other special ones.
   */
  readonly policy?: DialPolicy | undefined;
}

/**
 * Creates the function that connects to pods, nodes and services. Exec, attach and portforward are forwarded to the
 * agent of the pod's node and require a protocol upgrade
 * (https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/registry/core/pod/strategy.go, the `Location` functions).
 */
export function createConnector(options: ConnectorOptions): Connector {
  const {
    registry,
    outbound,
    random,
    nodeAgents: agents = { addressTypes: NODE_ADDRESS_TYPES },
    policy = createDialPolicy({}),
  } = options;
  const locations = createLocations({ registry, random, agents, policy });

  async function openStream({ info, http }: RequestContext, options: object): Promise<HttpResponse> {
    const { namespace, name, subresource } = info;
    const pod = await locations.pod(namespace, name);
    const container = subresource === 'portforward' ? '' : containerOf(pod, options);
    const nodeName = pod.spec?.nodeName ?? '';
    if (nodeName === '') throw badRequest(`pod ${name} does not have a host assigned`);
    const peer = await locations.agent(nodeName);
    if (upgradeOf(http.headers) === undefined) throw badRequest('Upgrade request required');
    const path = streamPath(subresource, [namespace, name, container], options);
    const unreachable = (why: string): ApiError => unexplained(`error dialing backend: ${why}`);
    return proxied(http, outbound, { peer, path, prefix: '', unreachable });
  }

  async function openProxy({ info, http }: RequestContext, kind: AnyKind): Promise<HttpResponse> {
    const peer = await locations.proxied(kind.plural, info.namespace, info.name);
    // The path as it was sent: its escapes are for the proxied server.
    const [own = '', query = ''] = http.url.split(/\?(.*)/s);
    const path = restOf(own, kind.namespaced);
    const asked = query === '' ? '' : `?${query}`;
    // A redirect to the path with a slash makes relative links of a page resolve below the proxy's path.
    if (path === '' && (http.method === 'GET' || http.method === 'HEAD'))
      return { status: 301, headers: { location: `${own}/${asked}` }, body: new Uint8Array() };
    const prefix = own.slice(0, own.length - path.length);
    return proxied(http, outbound, { peer, path: `${path || '/'}${asked}`, prefix });
  }

  async function openLog({ info, http }: RequestContext, options: object): Promise<HttpResponse> {
    const { namespace, name } = info;
    validateLogOptions(name, options);
    const pod = await locations.pod(namespace, name);
    const path = logPath(namespace, name, containerOf(pod, options), options);
    const nodeName = pod.spec?.nodeName ?? '';
    // An unscheduled pod has no log, as in upstream.
    if (nodeName === '') return { status: 204, headers: {}, body: new Uint8Array() };
    const target = { peer: await locations.agent(nodeName), path, prefix: '' };
    if (http.stream === undefined || !asksForWebSocket(http.headers)) return proxied(http, outbound, target);
    // The node's agent serves no logs over WebSockets. Only the client's connection uses one.
    const log = await proxied(withoutUpgrade(http), outbound, target);
    return log.status === 200 ? logOverWebSocket(http, http.stream(), log) : log;
  }

  return (context, kind, options) => {
    const { subresource } = context.info;
    if (subresource === 'proxy') return openProxy(context, kind);
    return subresource === 'log' ? openLog(context, options) : openStream(context, options);
  };
}

/**
 * Returns the requested container, which may be omitted only for a pod with a single container. Throws a 400.
 */
function containerOf({ metadata, spec }: DeepReadonly<Pod>, options: object): string {
  const { container = '' } = options as { readonly container?: string };
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  const names = [...initContainers, ...containers, ...ephemeralContainers].map(({ name }) => name);
  const name = metadata?.name ?? '';
  if (container !== '') {
    if (names.includes(container)) return container;
    throw badRequest(`container ${container} is not valid for pod ${name}`);
  }
  if (containers.length === 1) return containers[0]?.name ?? '';
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`);
}
