import { endpoints, nodes, pods, services } from '../../api/groups/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { badRequest, notFound, serviceUnavailable } from '../../api/status/index.ts';
import type { Node } from '../../api/types/core-v1-node.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Endpoints, Service } from '../../api/types/core-v1-service.ts';
import { type OutboundPeer, urlHost } from '../../base/http/index.ts';
import { ADDRESS_NOT_ALLOWED, type DialPolicy, parseAddress, urlRefusal } from '../../base/net/index.ts';
import type { Random } from '../../base/random/index.ts';
import { readyAddresses } from '../outbound/service-resolver.ts';
import type { Registry } from '../registry/registry.ts';
import { type NodeAgents, type Trust, agentPortOf, agentTrust, hostOf } from './node-agents.ts';

/**
 * Resolver of the servers that connections lead to. Each method rejects with `ApiError` if the server does
 * not exist or the policy forbids it.
 */
export interface Locations {
  pod(namespace: string, name: string): Promise<DeepReadonly<Pod>>;
  /** Returns the address of a node's agent. */
  agent(nodeName: string): Promise<OutboundPeer>;
  /**
   * Returns the server for a proxy request. `id` is `[scheme:]name[:port]`; `resource` is pods, services or
   * nodes.
   */
  proxied(resource: string, namespace: string, id: string): Promise<OutboundPeer>;
}

/** Dependencies of `createLocations`. */
export interface LocationsOptions {
  readonly registry: Registry;
  readonly random: Random;
  readonly agents: NodeAgents;
  readonly policy: DialPolicy;
}

/** Creates a resolver that reads live objects. */
export const createLocations = (options: LocationsOptions): Locations => new LiveLocations(options);

class LiveLocations implements Locations {
  readonly #options: LocationsOptions;

  constructor(options: LocationsOptions) {
    this.#options = options;
  }

  agent(nodeName: string): Promise<OutboundPeer> {
    return this.#toNode({ scheme: 'https', name: nodeName, port: '' });
  }

  proxied(resource: string, namespace: string, id: string): Promise<OutboundPeer> {
    const target = targetOf(id);
    if (target === undefined)
      throw badRequest(`invalid ${resource.slice(0, -1)} request ${JSON.stringify(id)}`);
    if (resource === 'nodes') return this.#toNode(target);
    return resource === 'services' ? this.#toService(namespace, target, id) : this.#toPod(namespace, target);
  }

  async pod(namespace: string, name: string): Promise<DeepReadonly<Pod>> {
    const pod = await this.#options.registry.reader(pods).live(namespace, name);
    if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, name);
    return pod;
  }

  /**
   * Checks the policy: clients control the address, and the server at it may receive this server's client
   * certificate. Throws a 400 for a forbidden address.
   */
  #permitted(peer: OutboundPeer): OutboundPeer {
    const rejection = rejectionOf(peer.origin, this.#options.policy);
    if (rejection !== undefined) throw badRequest(rejection);
    return peer;
  }

  async #nodeOf(name: string): Promise<DeepReadonly<Node>> {
    const node = await this.#options.registry.reader(nodes).live('', name);
    if (node === undefined) throw notFound({ group: '', resource: 'nodes' }, name);
    return node;
  }

  async #toNode({ scheme, name, port }: Target): Promise<OutboundPeer> {
    const { agents } = this.#options;
    const node = await this.#nodeOf(name);
    const own = agentPortOf(node);
    const host = hostOf(node, agents);
    return this.#permitted(
      port === '' || port === String(own)
        ? peerAt('https', host, own, agentTrust(agents))
        : peerAt(scheme, host, Number(port)),
    );
  }

  async #toPod(namespace: string, { scheme, name, port }: Target): Promise<OutboundPeer> {
    const { spec, status } = await this.pod(namespace, name);
    const address = status?.podIP ?? '';
    if (parseAddress(address) === undefined) throw badRequest(ADDRESS_NOT_ALLOWED);
    const first = spec?.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
    return this.#permitted(peerAt(scheme, address, port === '' ? first : Number(port)));
  }

  async #toService(namespace: string, target: Target, id: string): Promise<OutboundPeer> {
    const { name } = target;
    const service = await this.#options.registry.reader(services).live(namespace, name);
    if (service === undefined) throw notFound({ group: '', resource: 'services' }, name);
    const found = await this.#options.registry.reader(endpoints).live(namespace, name);
    if (found === undefined) throw notFound({ group: '', resource: 'endpoints' }, name);
    const ready = readyAddresses(found, { name: portNameOf(service, target.port) });
    const reachable: typeof ready = [];
    for (const each of ready) {
      const { origin } = peerAt(target.scheme, each.host, each.port);
      if (
        rejectionOf(origin, this.#options.policy) === undefined &&
        (await this.#isPodOf(namespace, found, each.host))
      )
        reachable.push(each);
    }
    const chosen = reachable[this.#options.random.int(Math.max(reachable.length, 1))];
    if (chosen === undefined)
      throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(id)}`);
    return peerAt(target.scheme, chosen.host, chosen.port);
  }

  /**
   * True if an address belongs to the endpoint's pod. Without this check, a user who may write Endpoints
   * could reach arbitrary addresses through this server.
   */
  async #isPodOf(namespace: string, { subsets = [] }: DeepReadonly<Endpoints>, ip: string): Promise<boolean> {
    const target = subsets
      .flatMap(({ addresses = [] }) => addresses)
      .find((each) => each.ip === ip)?.targetRef;
    if (target?.kind !== 'Pod') return false;
    const pod = await this.#options.registry
      .reader(pods)
      .live(target.namespace ?? namespace, target.name ?? '');
    const { podIP, podIPs = [] } = pod?.status ?? {};
    return podIP === ip || podIPs.some((each) => each.ip === ip);
  }
}

interface Target {
  readonly scheme: string;
  readonly name: string;
  /** Name or number of the port; '' if none was requested. */
  readonly port: string;
}

/** Parses `[scheme:]name[:port]`. Returns undefined for any other string. */
function targetOf(id: string): Target | undefined {
  const parts = id.split(':');
  const [first = '', second = '', third = ''] = parts;
  if (parts.length <= 2) return { scheme: 'http', name: first, port: second };
  const isTarget = parts.length === 3 && ['http', 'https', ''].includes(first);
  return isTarget ? { scheme: first || 'http', name: second, port: third } : undefined;
}

/** Returns the name of the service port that a name or number identifies. */
function portNameOf({ spec }: DeepReadonly<Service>, port: string): string {
  if (!/^\d+$/.test(port)) return port;
  return spec?.ports?.find((each) => each.port === Number(port))?.name ?? '';
}

/** TLS settings for pods, and for servers on nodes other than their agents: not verified, as in upstream. */
const UNVERIFIED: Trust = { insecureSkipVerify: true };

function peerAt(scheme: string, host: string, port: number | undefined, trust = UNVERIFIED): OutboundPeer {
  if (port !== undefined && !(port >= 1 && port <= 65_535)) throw badRequest(`invalid port ${port}`);
  return { origin: `${scheme}://${urlHost(host)}${port === undefined ? '' : `:${port}`}`, ...trust };
}

const rejectionOf = (origin: string, policy: DialPolicy): string | undefined =>
  URL.canParse(origin) ? urlRefusal(policy, new URL(origin)) : ADDRESS_NOT_ALLOWED;
