import type { DeepReadonly } from '../../api/kinds/index.ts';
import { unexplained } from '../../api/status/index.ts';
import type { Node } from '../../api/types/core-v1-node.ts';
import type { OutboundPeer } from '../../base/http/index.ts';

/** How this server reaches the agents of nodes, for logs, exec, attach, portforward and proxies. */
export interface NodeAgents {
  /** Kinds of addresses that nodes are reached at, best first. */
  readonly addressTypes: readonly string[];
  /** What is shown to them, PEM; read for each connection. Undefined: nothing is. */
  readonly credential?: (() => Pick<Required<OutboundPeer>, 'certificate' | 'key'>) | undefined;
  /** PEM bundle that they are verified with. Undefined: they are not, as upstream unless it is told by whom. */
  readonly ca?: (() => string) | undefined;
}

/** Upstream's default. */
export const NODE_ADDRESS_TYPES = [
  'Hostname',
  'InternalDNS',
  'InternalIP',
  'ExternalDNS',
  'ExternalIP',
] as const;

/** What agents listen on unless their nodes say otherwise. */
const PORT = 10_250;

export const agentPortOf = ({ status }: DeepReadonly<Node>): number =>
  status?.daemonEndpoints?.kubeletEndpoint?.Port || PORT;

/** Where a node is reached. Throws 500 for one that gives no address of a kind that counts. */
export function hostOf({ status }: DeepReadonly<Node>, { addressTypes }: NodeAgents): string {
  const addresses = status?.addresses ?? [];
  for (const type of addressTypes) {
    const found = addresses.find((each) => each.type === type);
    if (found !== undefined) return found.address;
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
  throw unexplained(`no preferred addresses found; known addresses: [${known}]`);
}

/** How a peer is known to be the one, and what it is shown. */
export type Trust = Omit<OutboundPeer, 'origin'>;

export const agentTrust = ({ ca, credential }: NodeAgents): Trust => ({
  ...(ca ? { ca: ca() } : { insecureSkipVerify: true }),
  ...credential?.(),
});
