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

/** Finds where connections go. Each method throws `ApiError` where there is nowhere to go, or the policy refuses it. */
export interface Locations {
  pod(namespace: string, name: string): Promise<DeepReadonly<Pod>>;
  /** The agent of a node. */
  agent(nodeName: string): Promise<OutboundPeer>;
  /** `id` is `[scheme:]name[:port]`; `resource` is pods, services or nodes. */
  proxied(resource: string, namespace: string, id: string): Promise<OutboundPeer>;
}

export interface LocationsOptions {
  readonly registry: Registry;
  readonly random: Random;
  readonly agents: NodeAgents;
  readonly policy: DialPolicy;
}

export function createLocations({ registry, random, agents, policy }: LocationsOptions): Locations {
  /** The address is a client's, and what is dialled may be shown the server's certificate. Throws 400. */
  function permitted(peer: OutboundPeer): OutboundPeer {
    const refusal = refusalOf(peer.origin, policy);
    if (refusal !== undefined) throw badRequest(refusal);
    return peer;
  }

  async function podOf(namespace: string, name: string): Promise<DeepReadonly<Pod>> {
    const pod = await registry.reader(pods).live(namespace, name);
    if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, name);
    return pod;
  }

  async function nodeOf(name: string): Promise<DeepReadonly<Node>> {
    const node = await registry.reader(nodes).live('', name);
    if (node === undefined) throw notFound({ group: '', resource: 'nodes' }, name);
    return node;
  }

  async function toNode({ scheme, name, port }: Target): Promise<OutboundPeer> {
    const node = await nodeOf(name);
    const own = agentPortOf(node);
    const host = hostOf(node, agents);
    return permitted(
      port === '' || port === String(own)
        ? peerAt('https', host, own, agentTrust(agents))
        : peerAt(scheme, host, Number(port)),
    );
  }

  async function toPod(namespace: string, { scheme, name, port }: Target): Promise<OutboundPeer> {
    const { spec, status } = await podOf(namespace, name);
    const address = status?.podIP ?? '';
    if (parseAddress(address) === undefined) throw badRequest(ADDRESS_NOT_ALLOWED);
    const first = spec?.containers.flatMap(({ ports = [] }) => ports)[0]?.containerPort;
    return permitted(peerAt(scheme, address, port === '' ? first : Number(port)));
  }

  async function toService(namespace: string, target: Target, id: string): Promise<OutboundPeer> {
    const { name } = target;
    const service = await registry.reader(services).live(namespace, name);
    if (service === undefined) throw notFound({ group: '', resource: 'services' }, name);
    const found = await registry.reader(endpoints).live(namespace, name);
    if (found === undefined) throw notFound({ group: '', resource: 'endpoints' }, name);
    const ready = readyAddresses(found, { name: portNameOf(service, target.port) });
    const reachable: typeof ready = [];
    for (const each of ready) {
      const { origin } = peerAt(target.scheme, each.host, each.port);
      if (refusalOf(origin, policy) === undefined && (await isPodOf(namespace, found, each.host)))
        reachable.push(each);
    }
    const chosen = reachable[random.int(Math.max(reachable.length, 1))];
    if (chosen === undefined)
      throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(id)}`);
    return peerAt(target.scheme, chosen.host, chosen.port);
  }

  /** Whoever may write endpoints does not reach by way of this server what is no pod. */
  async function isPodOf(
    namespace: string,
    { subsets = [] }: DeepReadonly<Endpoints>,
    ip: string,
  ): Promise<boolean> {
    const target = subsets
      .flatMap(({ addresses = [] }) => addresses)
      .find((each) => each.ip === ip)?.targetRef;
    if (target?.kind !== 'Pod') return false;
    const pod = await registry.reader(pods).live(target.namespace ?? namespace, target.name ?? '');
    const { podIP, podIPs = [] } = pod?.status ?? {};
    return podIP === ip || podIPs.some((each) => each.ip === ip);
  }

  return {
    pod: podOf,
    agent: (nodeName) => toNode({ scheme: 'https', name: nodeName, port: '' }),
    proxied(resource, namespace, id) {
      const target = targetOf(id);
      if (target === undefined)
        throw badRequest(`invalid ${resource.slice(0, -1)} request ${JSON.stringify(id)}`);
      if (resource === 'nodes') return toNode(target);
      return resource === 'services' ? toService(namespace, target, id) : toPod(namespace, target);
    },
  };
}

interface Target {
  readonly scheme: string;
  readonly name: string;
  /** '' for none. */
  readonly port: string;
}

/** `[scheme:]name[:port]`; undefined for anything else. */
function targetOf(id: string): Target | undefined {
  const parts = id.split(':');
  const [first = '', second = '', third = ''] = parts;
  if (parts.length <= 2) return { scheme: 'http', name: first, port: second };
  const isTarget = parts.length === 3 && ['http', 'https', ''].includes(first);
  return isTarget ? { scheme: first || 'http', name: second, port: third } : undefined;
}

/** A service's port by its name, or by its number. */
function portNameOf({ spec }: DeepReadonly<Service>, port: string): string {
  if (!/^\d+$/.test(port)) return port;
  return spec?.ports?.find((each) => each.port === Number(port))?.name ?? '';
}

/** Upstream verifies no pod, and nothing on a node but its agent. */
const UNVERIFIED: Trust = { insecureSkipVerify: true };

function peerAt(scheme: string, host: string, port: number | undefined, trust = UNVERIFIED): OutboundPeer {
  if (port !== undefined && !(port >= 1 && port <= 65_535)) throw badRequest(`invalid port ${port}`);
  return { origin: `${scheme}://${urlHost(host)}${port === undefined ? '' : `:${port}`}`, ...trust };
}

const refusalOf = (origin: string, policy: DialPolicy): string | undefined =>
  URL.canParse(origin) ? urlRefusal(policy, new URL(origin)) : ADDRESS_NOT_ALLOWED;
