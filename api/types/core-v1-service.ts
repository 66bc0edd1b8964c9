import {
  type Infer,
  boolean,
  int32,
  intOrString,
  listOf,
  mapOf,
  oneOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectReference } from './core-v1.ts';
import { Condition, ObjectMeta } from './meta-v1.ts';

/** A port of a Service. */
export const ServicePort = struct('api.core.v1.ServicePort', {
  name: value(1, string),
  protocol: value(2, oneOf('SCTP', 'TCP', 'UDP'), { default: 'TCP' }),
  appProtocol: optional(6, string),
  port: required(3, int32),
  targetPort: optional(4, intOrString),
  nodePort: value(5, int32),
});
export interface ServicePort extends Infer<typeof ServicePort> {}

/** Settings of client affinity: its timeout. */
export const ClientIPConfig = struct('api.core.v1.ClientIPConfig', {
  timeoutSeconds: optional(1, int32),
});
export interface ClientIPConfig extends Infer<typeof ClientIPConfig> {}

/** Settings of session affinity. */
export const SessionAffinityConfig = struct('api.core.v1.SessionAffinityConfig', {
  clientIP: optional(1, ref<ClientIPConfig>(ClientIPConfig)),
});
export interface SessionAffinityConfig extends Infer<typeof SessionAffinityConfig> {}

/** Spec of a Service: its pods, ports, type and addresses. */
export const ServiceSpec = struct('api.core.v1.ServiceSpec', {
  ports: value(1, listOf(ref<ServicePort>(ServicePort)), {
    listType: 'map',
    listMapKeys: ['port', 'protocol'],
    patchStrategy: ['merge'],
    patchMergeKey: 'port',
  }),
  selector: value(2, mapOf(string), { mapType: 'atomic' }),
  clusterIP: value(3, string),
  clusterIPs: value(18, listOf(string), { listType: 'atomic' }),
  type: value(4, oneOf('ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort')),
  externalIPs: value(5, listOf(string)),
  sessionAffinity: value(7, oneOf('ClientIP', 'None')),
  loadBalancerIP: value(8, string),
  loadBalancerSourceRanges: value(9, listOf(string)),
  externalName: value(10, string),
  externalTrafficPolicy: value(11, oneOf('Cluster', 'Local')),
  healthCheckNodePort: value(12, int32),
  publishNotReadyAddresses: value(13, boolean),
  sessionAffinityConfig: optional(14, ref<SessionAffinityConfig>(SessionAffinityConfig)),
  ipFamilies: value(19, listOf(oneOf('IPv4', 'IPv6')), { listType: 'atomic' }),
  ipFamilyPolicy: optional(17, oneOf('PreferDualStack', 'RequireDualStack', 'SingleStack')),
  allocateLoadBalancerNodePorts: optional(20, boolean),
  loadBalancerClass: optional(21, string),
  internalTrafficPolicy: optional(22, oneOf('Cluster', 'Local')),
});
export interface ServiceSpec extends Infer<typeof ServiceSpec> {}

/** Status of one port of a load balancer. */
export const PortStatus = struct('api.core.v1.PortStatus', {
  port: required(1, int32),
  protocol: required(2, oneOf('SCTP', 'TCP', 'UDP')),
  error: optional(3, string),
});
export interface PortStatus extends Infer<typeof PortStatus> {}

/** An entry point of a load balancer: an IP address or a host name. */
export const LoadBalancerIngress = struct('api.core.v1.LoadBalancerIngress', {
  ip: value(1, string),
  hostname: value(2, string),
  ports: value(4, listOf(ref<PortStatus>(PortStatus)), { listType: 'atomic' }),
});
export interface LoadBalancerIngress extends Infer<typeof LoadBalancerIngress> {}

/** Status of a load balancer: its entry points. */
export const LoadBalancerStatus = struct('api.core.v1.LoadBalancerStatus', {
  ingress: value(1, listOf(ref<LoadBalancerIngress>(LoadBalancerIngress))),
});
export interface LoadBalancerStatus extends Infer<typeof LoadBalancerStatus> {}

/** Status of a Service. */
export const ServiceStatus = struct('api.core.v1.ServiceStatus', {
  loadBalancer: value(1, ref<LoadBalancerStatus>(LoadBalancerStatus)),
  conditions: value(2, listOf(ref<Condition>(Condition)), {
    listType: 'map',
    listMapKeys: ['type'],
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
});
export interface ServiceStatus extends Infer<typeof ServiceStatus> {}

/** Kind Service: one name and address for a set of pods. */
export const Service = struct('api.core.v1.Service', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<ServiceSpec>(ServiceSpec)),
  status: value(3, ref<ServiceStatus>(ServiceStatus)),
});
export interface Service extends Infer<typeof Service> {}

/** IP address of an endpoint, and the pod and node behind it. */
export const EndpointAddress = struct(
  'api.core.v1.EndpointAddress',
  {
    ip: required(1, string),
    hostname: value(3, string),
    nodeName: optional(4, string),
    targetRef: optional(2, ref<ObjectReference>(ObjectReference)),
  },
  { mapType: 'atomic' },
);
export interface EndpointAddress extends Infer<typeof EndpointAddress> {}

/** A port of the endpoints in a subset. */
export const EndpointPort = struct(
  'api.core.v1.EndpointPort',
  {
    name: value(1, string),
    port: required(2, int32),
    protocol: value(3, oneOf('SCTP', 'TCP', 'UDP')),
    appProtocol: optional(4, string),
  },
  { mapType: 'atomic' },
);
export interface EndpointPort extends Infer<typeof EndpointPort> {}

/** A group of addresses with the same ports. Every address has every port. */
export const EndpointSubset = struct('api.core.v1.EndpointSubset', {
  addresses: value(1, listOf(ref<EndpointAddress>(EndpointAddress))),
  notReadyAddresses: value(2, listOf(ref<EndpointAddress>(EndpointAddress))),
  ports: value(3, listOf(ref<EndpointPort>(EndpointPort))),
});
export interface EndpointSubset extends Infer<typeof EndpointSubset> {}

/** Kind Endpoints: the addresses and ports of all endpoints of the Service with the same name. */
export const Endpoints = struct('api.core.v1.Endpoints', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  subsets: value(2, listOf(ref<EndpointSubset>(EndpointSubset))),
});
export interface Endpoints extends Infer<typeof Endpoints> {}
