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

/** A port of a Service, identified by name or number. */
export const ServiceBackendPort = struct('api.networking.v1.ServiceBackendPort', {
  name: value(1, string),
  number: value(2, int32),
});
export interface ServiceBackendPort extends Infer<typeof ServiceBackendPort> {}

/** An Ingress backend: a Service and one of its ports. */
export const IngressServiceBackend = struct('api.networking.v1.IngressServiceBackend', {
  name: required(1, string),
  port: value(2, ref<ServiceBackendPort>(ServiceBackendPort)),
});
export interface IngressServiceBackend extends Infer<typeof IngressServiceBackend> {}

/** Backend of requests: either a Service or another object. */
export const IngressBackend = struct('api.networking.v1.IngressBackend', {
  service: optional(4, ref<IngressServiceBackend>(IngressServiceBackend)),
  resource: optional(3, ref<TypedLocalObjectReference>(TypedLocalObjectReference)),
});
export interface IngressBackend extends Infer<typeof IngressBackend> {}

/** A path and the backend of the requests that match it. */
export const HTTPIngressPath = struct('api.networking.v1.HTTPIngressPath', {
  path: value(1, string),
  pathType: required(3, string),
  backend: required(2, ref<IngressBackend>(IngressBackend)),
});
export interface HTTPIngressPath extends Infer<typeof HTTPIngressPath> {}

/** Paths of one host and their backends. */
export const HTTPIngressRuleValue = struct('api.networking.v1.HTTPIngressRuleValue', {
  paths: required(1, listOf(ref<HTTPIngressPath>(HTTPIngressPath)), { listType: 'atomic' }),
});
export interface HTTPIngressRuleValue extends Infer<typeof HTTPIngressRuleValue> {}

/** Rules of an Ingress for one protocol; only HTTP exists. */
export const IngressRuleValue = struct('api.networking.v1.IngressRuleValue', {
  http: optional(1, ref<HTTPIngressRuleValue>(HTTPIngressRuleValue)),
});
export interface IngressRuleValue extends Infer<typeof IngressRuleValue> {}

/** Rules for the requests to one host. */
export const IngressRule = struct('api.networking.v1.IngressRule', {
  host: value(1, string),
  ...inline(2, IngressRuleValue),
});
export interface IngressRule extends Infer<typeof IngressRule> {}

/** Hosts and the Secret with their certificate. */
export const IngressTLS = struct('api.networking.v1.IngressTLS', {
  hosts: value(1, listOf(string), { listType: 'atomic' }),
  secretName: value(2, string),
});
export interface IngressTLS extends Infer<typeof IngressTLS> {}

/** Spec of an Ingress: its class, rules and certificates. */
export const IngressSpec = struct('api.networking.v1.IngressSpec', {
  ingressClassName: optional(4, string),
  defaultBackend: optional(1, ref<IngressBackend>(IngressBackend)),
  tls: value(2, listOf(ref<IngressTLS>(IngressTLS)), { listType: 'atomic' }),
  rules: value(3, listOf(ref<IngressRule>(IngressRule)), { listType: 'atomic' }),
});
export interface IngressSpec extends Infer<typeof IngressSpec> {}

/** Status of an Ingress: its addresses. */
export const IngressStatus = struct('api.networking.v1.IngressStatus', {
  loadBalancer: value(1, ref<LoadBalancerStatus>(LoadBalancerStatus)),
});
export interface IngressStatus extends Infer<typeof IngressStatus> {}

/** Kind Ingress: routes HTTP requests from outside of the cluster to Services by host and path. */
export const Ingress = struct('api.networking.v1.Ingress', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<IngressSpec>(IngressSpec)),
  status: value(3, ref<IngressStatus>(IngressStatus)),
});
export interface Ingress extends Infer<typeof Ingress> {}

/** Reference to an object with the parameters of an Ingress controller. */
export const IngressClassParametersReference = struct('api.networking.v1.IngressClassParametersReference', {
  apiGroup: optional(1, string),
  kind: required(2, string),
  name: required(3, string),
  scope: required(4, string, { lenient: true }),
  namespace: optional(5, string),
});
export interface IngressClassParametersReference extends Infer<typeof IngressClassParametersReference> {}

/** Spec of an IngressClass: the controller and its parameters. */
export const IngressClassSpec = struct('api.networking.v1.IngressClassSpec', {
  controller: value(1, string),
  parameters: optional(2, ref<IngressClassParametersReference>(IngressClassParametersReference)),
});
export interface IngressClassSpec extends Infer<typeof IngressClassSpec> {}

/** Kind IngressClass: a class of Ingresses and the controller that implements them. */
export const IngressClass = struct('api.networking.v1.IngressClass', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<IngressClassSpec>(IngressClassSpec)),
});
export interface IngressClass extends Infer<typeof IngressClass> {}

/** A range of IP addresses, and the ranges that are excluded from it. */
export const IPBlock = struct('api.networking.v1.IPBlock', {
  cidr: required(1, string),
  except: value(2, listOf(string)),
});
export interface IPBlock extends Infer<typeof IPBlock> {}

/** Peers of a connection: either pods selected by labels or a range of addresses. */
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

/** Connections that the selected pods may open. Port and peer must both match. */
export const NetworkPolicyEgressRule = struct('api.networking.v1.NetworkPolicyEgressRule', {
  ports: value(1, listOf(ref<NetworkPolicyPort>(NetworkPolicyPort))),
  to: value(2, listOf(ref<NetworkPolicyPeer>(NetworkPolicyPeer))),
});
export interface NetworkPolicyEgressRule extends Infer<typeof NetworkPolicyEgressRule> {}

/** Connections that the selected pods may accept. Port and peer must both match. */
export const NetworkPolicyIngressRule = struct('api.networking.v1.NetworkPolicyIngressRule', {
  ports: value(1, listOf(ref<NetworkPolicyPort>(NetworkPolicyPort))),
  from: value(2, listOf(ref<NetworkPolicyPeer>(NetworkPolicyPeer))),
});
export interface NetworkPolicyIngressRule extends Infer<typeof NetworkPolicyIngressRule> {}

/** Spec of a NetworkPolicy: the selected pods and their allowed connections. */
export const NetworkPolicySpec = struct('api.networking.v1.NetworkPolicySpec', {
  podSelector: required(1, ref<LabelSelector>(LabelSelector)),
  ingress: value(2, listOf(ref<NetworkPolicyIngressRule>(NetworkPolicyIngressRule))),
  egress: value(3, listOf(ref<NetworkPolicyEgressRule>(NetworkPolicyEgressRule))),
  policyTypes: value(4, listOf(oneOf('Egress', 'Ingress'))),
});
export interface NetworkPolicySpec extends Infer<typeof NetworkPolicySpec> {}

/** Status of a NetworkPolicy, as the network plugin reports it. */
export const NetworkPolicyStatus = struct('api.networking.v1.NetworkPolicyStatus', {
  conditions: value(1, listOf(ref<Condition>(Condition)), {
    listType: 'map',
    listMapKeys: ['type'],
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface NetworkPolicyStatus extends Infer<typeof NetworkPolicyStatus> {}

/** Kind NetworkPolicy: the connections that the selected pods may have. */
export const NetworkPolicy = struct('api.networking.v1.NetworkPolicy', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<NetworkPolicySpec>(NetworkPolicySpec)),
  status: value(3, ref<NetworkPolicyStatus>(NetworkPolicyStatus)),
});
export interface NetworkPolicy extends Infer<typeof NetworkPolicy> {}
