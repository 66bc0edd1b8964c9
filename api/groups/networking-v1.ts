import { defineKind } from '../kinds/kind.ts';
import { Ingress, IngressClass, NetworkPolicy } from '../types/networking-v1.ts';
import { ingressClassColumns, ingressClassStrategy } from './networking/ingress-class.ts';
import { ingressColumns, ingressStrategy, ingressSubresources } from './networking/ingress.ts';
import { networkPolicyColumns, networkPolicyStrategy } from './networking/network-policy.ts';

const networking = { group: 'networking', version: 'v1', generation: true } as const;
/** Former group of Ingresses and NetworkPolicies, which upstream's errors still name. */
const errorGroup = 'extensions';

/** Kind `Ingress` of `networking/v1`. */
export const ingresses = defineKind<Ingress>({
  ...networking,
  errorGroup,
  kind: 'Ingress',
  plural: 'ingresses',
  shortNames: ['ing'],
  namespaced: true,
  schema: Ingress,
  strategy: ingressStrategy,
  subresources: ingressSubresources,
  columns: ingressColumns,
});

/** Kind `IngressClass` of `networking/v1`. */
export const ingressClasses = defineKind<IngressClass>({
  ...networking,
  kind: 'IngressClass',
  plural: 'ingressclasses',
  namespaced: false,
  schema: IngressClass,
  strategy: ingressClassStrategy,
  columns: ingressClassColumns,
});

/** Kind `NetworkPolicy` of `networking/v1`. */
export const networkPolicies = defineKind<NetworkPolicy>({
  ...networking,
  errorGroup,
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  shortNames: ['netpol'],
  namespaced: true,
  schema: NetworkPolicy,
  strategy: networkPolicyStrategy,
  columns: networkPolicyColumns,
});
