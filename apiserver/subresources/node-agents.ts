import type { DeepReadonly } from '../../api/kinds/index.ts';
import { unexplained } from '../../api/status/index.ts';
import type { Node } from '../../api/types/core-v1-node.ts';
import type { OutboundPeer } from '../../base/http/index.ts';

/** Access to node agents, for logs, exec, attach, portforward and proxies. */
export interface NodeAgents {
  /** Address types of nodes in order of preference. */
  readonly addressTypes: readonly string[];
  /**
   * Returns the client certificate and key in PEM for each connection. Undefined if no certificate is sent.
   */
  readonly credential?: (() => Pick<Required<OutboundPeer>, 'certificate' | 'key'>) | undefined;
  /**
   * Returns the PEM bundle that agents are verified against. Undefined if agents are not verified, which is
   * upstream's default.
   */
  readonly ca?: (() => string) | undefined;
}

/** Address types in upstream's default order. */
export const NODE_ADDRESS_TYPES = [
  'Hostname',
  'InternalDNS',
  'InternalIP',
  'ExternalDNS',
  'ExternalIP',
] as const;

/** Default port of node agents. */
const PORT = 10_250;

/** Returns the port of a node's agent. */
export const agentPortOf = ({ status }: DeepReadonly<Node>): number =>
  status?.daemonEndpoints?.kubeletEndpoint?.Port || PORT;

/** Returns the address of a node. Throws a 500 if the node has no address of an accepted type. */
export function hostOf({ status }: DeepReadonly<Node>, { addressTypes }: NodeAgents): string {
  const addresses = status?.addresses ?? [];
  for (const type of addressTypes) {
    const found = addresses.find((each) => each.type === type);
    if (found !== undefined) return found.address;
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
  throw unexplained(`no preferred addresses found; known addresses: [${known}]`);
}

/** TLS settings of a connection: how the peer is verified, and which certificate it receives. */
export type Trust = Omit<OutboundPeer, 'origin'>;

/** Returns the TLS settings for node agents. */
export const agentTrust = ({ ca, credential }: NodeAgents): Trust => ({
  ...(ca ? { ca: ca() } : { insecureSkipVerify: true }),
  ...credential?.(),
});
