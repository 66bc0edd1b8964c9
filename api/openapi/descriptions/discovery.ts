import type { Descriptions } from './texts.ts';

/** Descriptions of the group `discovery`. */
export const discovery = (): Descriptions => ({
  Endpoint: {
    '': 'One backend of a Service.',
    addresses: "Addresses of the backend, all equivalent, of the slice's type; clients use the first.",
    conditions: 'Readiness of the backend.',
    deprecatedTopology:
      'Topology as version v1beta1 wrote it; read-only and empty when zone and node say it all.',
    hints: 'Preferred senders of traffic.',
    hostname: 'Host name for DNS, a label in lower case.',
    nodeName: 'Node the backend runs on.',
    targetRef: 'Object behind the backend, usually a pod.',
    topology: 'Node, zone and region as labels; three entries at most are understood.',
    zone: 'Zone the backend runs in.',
  },
  EndpointConditions: {
    '': 'Readiness of a backend.',
    ready: 'True when it takes new traffic; unset is to be read as true.',
    serving: 'The same, yet also of a backend that is ending.',
    terminating: 'True when the backend is ending; unset is to be read as false.',
  },
  EndpointHints: {
    '': 'Preferred senders of traffic to a backend.',
    forZones: 'Zones whose clients should use the backend, eight at most.',
  },
  EndpointPort: {
    '': 'A port that all backends of a slice have.',
    appProtocol: 'Protocol above the transport, such as `http` or `example.com/custom`.',
    name: 'Name of the port, unique in the slice; may be empty when there is one port.',
    port: 'Number of the port; unset leaves it to the consumer.',
    protocol: '`TCP`, the default, `UDP` or `SCTP`.',
  },
  EndpointSlice: {
    '': 'Part of the backends of a Service; several slices together are all of them.',
    addressType: '`IPv4`, `IPv6` or `FQDN`, the same for all addresses of the slice; immutable.',
    endpoints: 'The backends, 1000 at most.',
    ports: 'Ports of every backend, 100 at most; none means no defined ports.',
  },
  ForZone: {
    '': 'A zone that should use a backend.',
    name: 'Name of the zone.',
  },
});
