import {
  type Infer,
  inline,
  int32,
  intOrString,
  listOf,
  oneOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { LoadBalancerStatus } from './core-v1-service.ts';
import { TypedLocalObjectReference } from './core-v1-shared.ts';
import { Condition, LabelSelector, ObjectMeta } from './meta-v1.ts';

/** A port of a Service, by name or by number. */
export const ServiceBackendPort = struct('api.networking.v1.ServiceBackendPort', {
  name: value(1, string),
  number: value(2, int32),
});
export interface ServiceBackendPort extends Infer<typeof ServiceBackendPort> {}

/** A port of a Service. */
export const IngressServiceBackend = struct('api.networking.v1.IngressServiceBackend', {
  name: required(1, string),
  port: value(2, ref<ServiceBackendPort>(ServiceBackendPort)),
});
export interface IngressServiceBackend extends Infer<typeof IngressServiceBackend> {}

/** Target of requests: a Service or another object, not both. */
export const IngressBackend = struct('api.networking.v1.IngressBackend', {
  service: optional(4, ref<IngressServiceBackend>(IngressServiceBackend)),
  resource: optional(3, ref<TypedLocalObjectReference>(TypedLocalObjectReference)),
});
export interface IngressBackend extends Infer<typeof IngressBackend> {}

/** Leads requests whose path matches to a backend. */
export const HTTPIngressPath = struct('api.networking.v1.HTTPIngressPath', {
  path: value(1, string),
  pathType: required(3, string),
  backend: required(2, ref<IngressBackend>(IngressBackend)),
});
export interface HTTPIngressPath extends Infer<typeof HTTPIngressPath> {}

/** The paths of one host. */
export const HTTPIngressRuleValue = struct('api.networking.v1.HTTPIngressRuleValue', {
  paths: required(1, listOf(ref<HTTPIngressPath>(HTTPIngressPath)), { listType: 'atomic' }),
});
export interface HTTPIngressRuleValue extends Infer<typeof HTTPIngressRuleValue> {}

/** Rules of an ingress for one protocol. */
export const IngressRuleValue = struct('api.networking.v1.IngressRuleValue', {
  http: optional(1, ref<HTTPIngressRuleValue>(HTTPIngressRuleValue)),
});
export interface IngressRuleValue extends Infer<typeof IngressRuleValue> {}

/** Routing of requests for one host. */
export const IngressRule = struct('api.networking.v1.IngressRule', {
  host: value(1, string),
  ...inline(2, IngressRuleValue),
});
export interface IngressRule extends Infer<typeof IngressRule> {}

/** The certificate for some hosts. */
export const IngressTLS = struct('api.networking.v1.IngressTLS', {
  hosts: value(1, listOf(string), { listType: 'atomic' }),
  secretName: value(2, string),
});
export interface IngressTLS extends Infer<typeof IngressTLS> {}

/** Hosts, paths and certificates of an ingress. */
export const IngressSpec = struct('api.networking.v1.IngressSpec', {
  ingressClassName: optional(4, string),
  defaultBackend: optional(1, ref<IngressBackend>(IngressBackend)),
  tls: value(2, listOf(ref<IngressTLS>(IngressTLS)), { listType: 'atomic' }),
  rules: value(3, listOf(ref<IngressRule>(IngressRule)), { listType: 'atomic' }),
});
export interface IngressSpec extends Infer<typeof IngressSpec> {}

/** Addresses of an ingress. */
export const IngressStatus = struct('api.networking.v1.IngressStatus', {
  loadBalancer: value(1, ref<LoadBalancerStatus>(LoadBalancerStatus)),
});
export interface IngressStatus extends Infer<typeof IngressStatus> {}

/** Leads HTTP requests from outside to Services by host and path. */
export const Ingress = struct('api.networking.v1.Ingress', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<IngressSpec>(IngressSpec)),
  status: value(3, ref<IngressStatus>(IngressStatus)),
});
export interface Ingress extends Infer<typeof Ingress> {}

/** An object with the parameters of a controller. */
export const IngressClassParametersReference = struct('api.networking.v1.IngressClassParametersReference', {
  apiGroup: optional(1, string),
  kind: required(2, string),
  name: required(3, string),
  scope: required(4, string, { lenient: true }),
  namespace: optional(5, string),
});
export interface IngressClassParametersReference extends Infer<typeof IngressClassParametersReference> {}

/** Controller of the ingresses of a class. */
export const IngressClassSpec = struct('api.networking.v1.IngressClassSpec', {
  controller: value(1, string),
  parameters: optional(2, ref<IngressClassParametersReference>(IngressClassParametersReference)),
});
export interface IngressClassSpec extends Infer<typeof IngressClassSpec> {}

/** A kind of ingress and the controller that carries it out. */
export const IngressClass = struct('api.networking.v1.IngressClass', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<IngressClassSpec>(IngressClassSpec)),
});
export interface IngressClass extends Infer<typeof IngressClass> {}

/** A range of addresses, less the ranges excepted. */
export const IPBlock = struct('api.networking.v1.IPBlock', {
  cidr: required(1, string),
  except: value(2, listOf(string)),
});
export interface IPBlock extends Infer<typeof IPBlock> {}

/** Pods or addresses at the other end; addresses exclude the selectors. */
export const NetworkPolicyPeer = struct('api.networking.v1.NetworkPolicyPeer', {
  podSelector: optional(1, ref<LabelSelector>(LabelSelector)),
  namespaceSelector: optional(2, ref<LabelSelector>(LabelSelector)),
  ipBlock: optional(3, ref<IPBlock>(IPBlock)),
});
export interface NetworkPolicyPeer extends Infer<typeof NetworkPolicyPeer> {}

/** A port or a range of ports of one protocol. */
export const NetworkPolicyPort = struct('api.networking.v1.NetworkPolicyPort', {
  protocol: optional(1, oneOf('SCTP', 'TCP', 'UDP')),
  port: optional(2, intOrString),
  endPort: optional(3, int32),
});
export interface NetworkPolicyPort extends Infer<typeof NetworkPolicyPort> {}

/** Connections that pods may open; ports and peers must both match. */
export const NetworkPolicyEgressRule = struct('api.networking.v1.NetworkPolicyEgressRule', {
  ports: value(1, listOf(ref<NetworkPolicyPort>(NetworkPolicyPort))),
  to: value(2, listOf(ref<NetworkPolicyPeer>(NetworkPolicyPeer))),
});
export interface NetworkPolicyEgressRule extends Infer<typeof NetworkPolicyEgressRule> {}

/** Connections that pods may take; ports and peers must both match. */
export const NetworkPolicyIngressRule = struct('api.networking.v1.NetworkPolicyIngressRule', {
  ports: value(1, listOf(ref<NetworkPolicyPort>(NetworkPolicyPort))),
  from: value(2, listOf(ref<NetworkPolicyPeer>(NetworkPolicyPeer))),
});
export interface NetworkPolicyIngressRule extends Infer<typeof NetworkPolicyIngressRule> {}

/** Pods and the connections they may have. */
export const NetworkPolicySpec = struct('api.networking.v1.NetworkPolicySpec', {
  podSelector: required(1, ref<LabelSelector>(LabelSelector)),
  ingress: value(2, listOf(ref<NetworkPolicyIngressRule>(NetworkPolicyIngressRule))),
  egress: value(3, listOf(ref<NetworkPolicyEgressRule>(NetworkPolicyEgressRule))),
  policyTypes: value(4, listOf(oneOf('Egress', 'Ingress'))),
});
export interface NetworkPolicySpec extends Infer<typeof NetworkPolicySpec> {}

/** State of a policy, as the network plugin reports it. */
export const NetworkPolicyStatus = struct('api.networking.v1.NetworkPolicyStatus', {
  conditions: value(1, listOf(ref<Condition>(Condition)), {
    listType: 'map',
    listMapKeys: ['type'],
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface NetworkPolicyStatus extends Infer<typeof NetworkPolicyStatus> {}

/** Says which connections the chosen pods may have. */
export const NetworkPolicy = struct('api.networking.v1.NetworkPolicy', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<NetworkPolicySpec>(NetworkPolicySpec)),
  status: value(3, ref<NetworkPolicyStatus>(NetworkPolicyStatus)),
});
export interface NetworkPolicy extends Infer<typeof NetworkPolicy> {}
