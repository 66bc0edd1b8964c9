import type { Descriptions } from './texts.ts';

/** Descriptions of the group `networking`. */
export const networking = (): Descriptions => ({
  HTTPIngressPath: {
    '': 'Leads requests whose path matches to a backend.',
    backend: 'Target of the requests.',
    path: 'Path to match; must begin with `/` unless the controller decides how to match.',
    pathType: '`Exact`, `Prefix` by whole steps of the path, or `ImplementationSpecific`.',
  },
  HTTPIngressRuleValue: {
    '': 'The paths of one host.',
    paths: 'Paths with their backends; the longest match wins.',
  },
  IPBlock: {
    '': 'A range of addresses, less the ranges excepted.',
    cidr: 'Range such as `192.168.1.0/24` or `2001:db8::/64`.',
    except: 'Ranges within `cidr` that are not meant.',
  },
  Ingress: {
    '': 'Leads HTTP requests from outside to Services by host and path.',
    spec: 'Hosts, paths and certificates.',
    status: 'Addresses the ingress can be reached at.',
  },
  IngressBackend: {
    '': 'Target of requests: a Service or another object, not both.',
    resource: 'Object of the same namespace that answers, such as a bucket.',
    service: 'Service of the same namespace that answers.',
  },
  IngressClass: {
    '': 'A kind of ingress and the controller that carries it out.',
    spec: 'Controller, and its parameters.',
  },
  IngressClassParametersReference: {
    '': 'An object with the parameters of a controller.',
    apiGroup: 'Group of the object; unset means the core group.',
    kind: 'Kind of the object.',
    name: 'Name of the object.',
    namespace: 'Namespace of the object; only with scope `Namespace`.',
    scope: '`Cluster`, the default, or `Namespace`.',
  },
  IngressClassSpec: {
    '': 'Controller of the ingresses of a class.',
    controller: 'Name of the controller with a domain, such as `example.com/ingress`; immutable.',
    parameters: 'Object with further configuration for the controller.',
  },
  IngressRule: {
    '': 'Routing of requests for one host.',
    host: 'Host name, possibly with `*` as its first label; empty means any host.',
    http: 'Paths of the host; unset sends everything to the default backend.',
  },
  IngressServiceBackend: {
    '': 'A port of a Service.',
    name: 'Name of the Service, in the namespace of the ingress.',
    port: 'Port by name or number.',
  },
  IngressSpec: {
    '': 'Hosts, paths and certificates of an ingress.',
    defaultBackend: 'Target of requests that no rule matches; unset leaves them to the controller.',
    ingressClassName: 'IngressClass whose controller is to carry it out.',
    rules: 'Hosts with their paths; without rules all requests go to the default backend.',
    tls: 'Certificates by host, all on port 443 and distinguished by SNI.',
  },
  IngressStatus: {
    '': 'Addresses of an ingress.',
    loadBalancer: 'Addresses of the load balancer.',
  },
  IngressTLS: {
    '': 'The certificate for some hosts.',
    hosts: 'Hosts of the certificate; default is the wildcard of the controller.',
    secretName: 'Secret with certificate and key; may be empty if SNI alone distinguishes the hosts.',
  },
  NetworkPolicy: {
    '': 'Says which connections the chosen pods may have.',
    spec: 'Pods and connections; what several policies allow adds up.',
    status: 'State of the policy.',
  },
  NetworkPolicyEgressRule: {
    '': 'Connections that pods may open; ports and peers must both match.',
    ports: 'Destination ports; empty means all.',
    to: 'Destinations; empty means all.',
  },
  NetworkPolicyIngressRule: {
    '': 'Connections that pods may take; ports and peers must both match.',
    from: 'Sources; empty means all.',
    ports: 'Ports of the pods; empty means all.',
  },
  NetworkPolicyPeer: {
    '': 'Pods or addresses at the other end; addresses exclude the selectors.',
    ipBlock: 'Range of addresses.',
    namespaceSelector: 'Namespaces of the pods; with `podSelector` both must match, an empty one means all.',
    podSelector: "Pods, in the policy's own namespace unless `namespaceSelector` is set.",
  },
  NetworkPolicyPort: {
    '': 'A port or a range of ports of one protocol.',
    endPort: 'Last port of the range, at least `port`, which must then be a number.',
    port: 'Number or name of the port; unset means all of the protocol.',
    protocol: '`TCP`, the default, `UDP` or `SCTP`.',
  },
  NetworkPolicySpec: {
    '': 'Pods and the connections they may have.',
    egress: 'Connections the pods may open; empty allows none when the policy is about egress.',
    ingress: 'Connections the pods may take; empty allows none when the policy is about ingress.',
    podSelector: 'Pods of the namespace that the policy is about; an empty selector means all.',
    policyTypes: '`Ingress`, `Egress` or both; by default ingress, and egress if it has rules for it.',
  },
  NetworkPolicyStatus: {
    '': 'State of a policy, as the network plugin reports it.',
    conditions: "Aspects of the policy's state, one of each type.",
  },
  ServiceBackendPort: {
    '': 'A port of a Service, by name or by number.',
    name: 'Name of the port; excludes `number`.',
    number: 'Number of the port; excludes `name`.',
  },
});
