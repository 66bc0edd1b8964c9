import type { Descriptions } from './texts.ts';

/** Descriptions of the kinds Service and Endpoints. */
export const coreService = (): Descriptions => ({
  ClientIPConfig: {
    '': "Duration of a client's affinity to one backend.",
    timeoutSeconds: 'Seconds since its last connection, 1 to 86400; default 10800.',
  },
  EndpointAddress: {
    '': 'An address of a backend.',
    hostname: 'Host name of the backend for DNS.',
    ip: 'The address; neither loopback nor link-local.',
    nodeName: 'Node the backend runs on.',
    targetRef: 'Object behind the backend, usually a pod.',
  },
  EndpointPort: {
    '': 'A port of the backends.',
    appProtocol: 'Protocol above the transport, such as `http` or `example.com/custom`.',
    name: "Name of the Service's port; needed when there are several.",
    port: 'Number of the port.',
    protocol: '`TCP`, the default, `UDP` or `SCTP`.',
  },
  EndpointSubset: {
    '': 'Addresses that share their ports; each address has each port.',
    addresses: 'Backends that are ready.',
    notReadyAddresses: 'Backends that are not ready yet, or no longer.',
    ports: 'Ports of the backends.',
  },
  Endpoints: {
    '': 'All backends of the Service of the same name.',
    subsets: 'Backends, grouped by the ports they have.',
  },
  LoadBalancerIngress: {
    '': 'Address of a load balancer: an IP address or a name.',
    hostname: 'Name of the load balancer.',
    ip: 'Address of the load balancer.',
    ports: 'State of its ports.',
  },
  LoadBalancerStatus: {
    '': 'Addresses of a load balancer.',
    ingress: 'Its addresses and names.',
  },
  PortStatus: {
    '': 'State of one port of a load balancer.',
    error: 'Problem of the port, as one word.',
    port: 'Number of the port.',
    protocol: '`TCP`, `UDP` or `SCTP`.',
  },
  Service: {
    '': 'Gives a set of pods one name and address.',
    spec: 'Selected pods and ports, and how they can be reached.',
    status: 'State of the load balancer.',
  },
  ServicePort: {
    '': 'A port of a Service.',
    appProtocol: 'Protocol above the transport, such as `http` or `example.com/custom`.',
    name: 'Name of the port, a DNS label; needed when there are several.',
    nodePort: 'Port on every node; allocated when unset and the type has one.',
    port: "Port of the Service's address.",
    protocol: '`TCP`, the default, `UDP` or `SCTP`.',
    targetPort: "Number or name of the pods' port; default the same as `port`.",
  },
  ServiceSpec: {
    '': 'Pods and ports of a Service, and how it can be reached.',
    allocateLoadBalancerNodePorts: 'True if a load balancer gets ports of the nodes; default true.',
    clusterIP:
      'Address inside the cluster; allocated when unset, `None` for a headless Service, hardly changeable.',
    clusterIPs: 'Addresses inside the cluster, one for each version of IP; the first is `clusterIP`.',
    externalIPs: 'Addresses of nodes at which the Service is answered too; not managed by the cluster.',
    externalName: 'DNS name that the Service stands for; with type `ExternalName`.',
    externalTrafficPolicy:
      "`Cluster`, the default, or `Local` to keep to the node that was reached and the client's address.",
    healthCheckNodePort:
      'Port where nodes say whether they have backends; with `Local` traffic to a load balancer.',
    internalTrafficPolicy: "`Cluster`, the default, or `Local` to keep to backends of the client's node.",
    ipFamilies: '`IPv4`, `IPv6` or both, the main one first; by default as the cluster is made.',
    ipFamilyPolicy: '`SingleStack`, the default, `PreferDualStack` or `RequireDualStack`.',
    loadBalancerClass: 'Implementation of the load balancer; unset means the default one, hardly changeable.',
    loadBalancerIP: 'Deprecated; address wanted of the load balancer.',
    loadBalancerSourceRanges: 'Ranges of clients that the load balancer lets in; empty means all.',
    ports: 'Ports of the Service; required unless it is headless or stands for a name.',
    publishNotReadyAddresses: 'True lists backends that are not ready as well; default false.',
    selector: 'Labels of the pods; without it, other clients write the endpoints.',
    sessionAffinity: '`None`, the default, or `ClientIP` to keep a client at one backend.',
    sessionAffinityConfig: 'Seconds that a client stays with one backend.',
    type: '`ClusterIP`, the default, `NodePort`, `LoadBalancer` or `ExternalName`.',
  },
  ServiceStatus: {
    '': 'State of a Service.',
    conditions: 'Aspects of its state, one of each type.',
    loadBalancer: 'Addresses of the load balancer.',
  },
  SessionAffinityConfig: {
    '': 'Affinity of clients to one backend.',
    clientIP: 'Settings for keeping them by their address.',
  },
});
