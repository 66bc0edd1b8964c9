import { BlockList, isIP } from 'node:net';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from '../../types/networking-v1.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { checked } from '../metadata.ts';
import { isCidr, isPortName, portMessages } from '../names.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Ingress', 'Egress'];

/** Checks the rules of `ValidateNetworkPolicySpec` in Kubernetes 1.24. */
export function validateNetworkPolicy({ spec }: DeepReadonly<NetworkPolicy>): FieldErrors {
  const { podSelector, ingress = [], egress = [], policyTypes = [] } = spec ?? {};
  return [
    ...validateLabelSelector(podSelector, 'spec.podSelector'),
    ...ingress.flatMap(({ ports, from }, at) => {
      const path = index('spec.ingress', at);
      return [...validatePorts(ports, path), ...validatePeers(from, child(path, 'from'))];
    }),
    ...egress.flatMap(({ ports, to }, at) => {
      const path = index('spec.egress', at);
      return [...validatePorts(ports, path), ...validatePeers(to, child(path, 'to'))];
    }),
    ...validateTypes(policyTypes),
  ];
}

function validateTypes(types: readonly string[]): FieldErrors {
  const field = 'spec.policyTypes';
  if (types.length > TYPES.length)
    return [
      invalidTyped(field, '[]networking.PolicyType', types, 'may not specify more than two policyTypes'),
    ];
  return types.flatMap((type, at) =>
    TYPES.includes(type) ? [] : [notSupportedField(index(field, at), type, TYPES)],
  );
}

const validatePorts = (
  ports: readonly DeepReadonly<NetworkPolicyPort>[] | undefined,
  path: string,
): FieldErrors => (ports ?? []).flatMap((port, at) => validatePort(port, index(child(path, 'ports'), at)));

function validatePort(
  { protocol, port, endPort }: DeepReadonly<NetworkPolicyPort>,
  path: string,
): FieldErrors {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    errors.push(notSupportedField(child(path, 'protocol'), protocol, PROTOCOLS));
  }
  const [field, end] = [child(path, 'port'), child(path, 'endPort')];
  if (typeof port === 'number') {
    errors.push(...portMessages(port).map((message) => invalidField(field, port, message)));
    if (endPort === undefined) return errors;
    if (endPort < port) errors.push(invalidField(end, port, 'must be greater than or equal to `port`'));
    return [...errors, ...portMessages(endPort).map((message) => invalidField(end, endPort, message))];
  }
  if (endPort !== undefined) {
    const why = port === undefined ? 'not specified' : 'non-numeric';
    errors.push(invalidField(end, endPort, `may not be specified when \`port\` is ${why}`));
  }
  return port === undefined ? errors : [...errors, ...checked(field, port, isPortName)];
}

const validatePeers = (
  peers: readonly DeepReadonly<NetworkPolicyPeer>[] | undefined,
  path: string,
): FieldErrors => (peers ?? []).flatMap((peer, at) => validatePeer(peer, index(path, at)));

function validatePeer(peer: DeepReadonly<NetworkPolicyPeer>, path: string): FieldErrors {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const errors: FieldError[] = [
    ...validateLabelSelector(podSelector, child(path, 'podSelector')),
    ...validateLabelSelector(namespaceSelector, child(path, 'namespaceSelector')),
    ...(ipBlock ? validateIpBlock(ipBlock, child(path, 'ipBlock')) : []),
  ];
  const selected = podSelector !== undefined || namespaceSelector !== undefined;
  if (!selected && ipBlock === undefined) errors.push(requiredField(path, 'must specify a peer'));
  else if (selected && ipBlock !== undefined) {
    errors.push(forbiddenField(path, 'may not specify both ipBlock and another peer'));
  }
  return errors;
}

function validateIpBlock({ cidr, except = [] }: DeepReadonly<IPBlock>, path: string): FieldErrors {
  const field = child(path, 'cidr');
  if (!cidr) return [requiredField(field)];
  if (isCidr(cidr).length > 0) return [invalidField(field, cidr, 'not a valid CIDR')];
  const errors: FieldError[] = [];
  for (const [at, each] of except.entries()) {
    const part = index(child(path, 'except'), at);
    if (isCidr(each).length > 0) return [...errors, invalidField(part, each, 'not a valid CIDR')];
    if (!isStrictSubset(each, cidr)) {
      errors.push(invalidField(part, each, 'must be a strict subset of `cidr`'));
    }
  }
  return errors;
}

const partsOf = (cidr: string): readonly [string, number] => {
  const [address = '', bits = ''] = cidr.split('/');
  return [address, Number(bits)];
};

function isStrictSubset(inner: string, outer: string): boolean {
  const [address, bits] = partsOf(outer);
  const [innerAddress, innerBits] = partsOf(inner);
  if (isIP(address) !== isIP(innerAddress)) return false;
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const block = new BlockList();
  block.addSubnet(address, bits, family);
  return block.check(innerAddress, family) && bits < innerBits;
}
