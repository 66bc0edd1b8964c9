import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, NONE, nameColumn, wideColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type { Service, ServicePort } from '../../types/core-v1-service.ts';
import {
  validateService,
  validateServiceStatus,
  validateServiceUpdate,
} from '../../validation/network/service.ts';
import { labelsText } from '../labels-text.ts';
import { statusSubresource } from '../status-subresource.ts';
import {
  defaultService,
  dropOldTypeFields,
  keepAllocated,
  normaliseClusterIps,
  trimFamilies,
} from './service-shape.ts';

type Frozen = DeepReadonly<Service>;

/** Strategy of Services. The registry allocates addresses and ports after validation. */
export const serviceStrategy: Strategy<Service> = {
  defaults: defaultService,
  prepareForCreate(next) {
    next.status = {};
    normaliseClusterIps((next.spec ??= {}), undefined);
  },
  prepareForUpdate(next, previous) {
    carryOver(next, previous, 'status');
    const spec = (next.spec ??= {});
    keepAllocated(spec, previous.spec);
    normaliseClusterIps(spec, previous.spec);
    dropOldTypeFields(spec, previous.spec);
    trimFamilies(spec, previous.spec);
  },
  validate: (next, { vocabulary }) => validateService(next, vocabulary.agent),
  validateUpdate: (next, previous) => validateServiceUpdate(next, previous),
};

/** Subresources of Services. */
export const serviceSubresources = {
  status: statusSubresource<Service>((next) => validateServiceStatus(next)),
};

const ingressText = ({ status }: Frozen): string =>
  (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '').join(',');

function externalText(service: Frozen): string {
  const { type, externalIPs = [], externalName = '' } = service.spec ?? {};
  const listed = externalIPs.join(',');
  switch (type) {
    case 'ClusterIP':
    case 'NodePort':
      return listed || NONE;
    case 'LoadBalancer':
      return [ingressText(service), listed].filter((text) => text !== '').join(',') || '<pending>';
    case 'ExternalName':
      return externalName;
    default:
      return '<unknown>';
  }
}

const portText = ({ port, nodePort, protocol }: DeepReadonly<ServicePort>): string =>
  `${port}${nodePort ? `:${nodePort}` : ''}/${protocol ?? ''}`;

/** Table columns of Services. */
export const serviceColumns: readonly Column<Service>[] = [
  nameColumn,
  column<Service>(
    'Type',
    ({ spec }) => spec?.type ?? '',
    'type determines how the Service is exposed. Defaults to ClusterIP. Valid options are ExternalName, ClusterIP, NodePort, and LoadBalancer. "ClusterIP" allocates a cluster-internal IP address for load-balancing to endpoints. Endpoints are determined by the selector or if that is not specified, by manual construction of an Endpoints object or EndpointSlice objects. If clusterIP is "None", no virtual IP is allocated and the endpoints are published as a set of endpoints rather than a virtual IP. "NodePort" builds on ClusterIP and allocates a port on every node which routes to the same endpoints as the clusterIP. "LoadBalancer" builds on NodePort and creates an external load-balancer (if supported in the current cloud) which routes to the same endpoints as the clusterIP. "ExternalName" aliases this service to the specified externalName. Several other fields do not apply to ExternalName services. More info: https://{domain}/docs/concepts/services-networking/service/#publishing-services-service-types',
  ),
  column<Service>(
    'Cluster-IP',
    ({ spec }) => spec?.clusterIPs?.[0] ?? NONE,
    'clusterIP is the IP address of the service and is usually assigned randomly. If an address is specified manually, is in-range (as per system configuration), and is not in use, it will be allocated to the service; otherwise creation of the service will fail. This field may not be changed through updates unless the type field is also being changed to ExternalName (which requires this field to be blank) or the type field is being changed from ExternalName (in which case this field may optionally be specified, as describe above).  Valid values are "None", empty string (""), or a valid IP address. Setting this to "None" makes a "headless service" (no virtual IP), which is useful when direct endpoint connections are preferred and proxying is not required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If this field is specified when creating a Service of type ExternalName, creation will fail. This field will be wiped when updating a Service to type ExternalName. More info: https://{domain}/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies',
  ),
  column<Service>(
    'External-IP',
    externalText,
    'externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service.  These IPs are not managed by {Product}.  The user is responsible for ensuring that traffic arrives at a node with this IP.  A common example is external load-balancers that are not part of the {Product} system.',
  ),
  column<Service>(
    'Port(s)',
    ({ spec }) => (spec?.ports ?? []).map(portText).join(',') || NONE,
    'The list of ports that are exposed by this service. More info: https://{domain}/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies',
  ),
  ageColumn,
  wideColumn<Service>(
    'Selector',
    ({ spec }) => labelsText(spec?.selector),
    'Route service traffic to pods with label keys and values matching this selector. If empty or not present, the service is assumed to have an external process managing its endpoints, which {Product} will not modify. Only applies to types ClusterIP, NodePort, and LoadBalancer. Ignored if type is ExternalName. More info: https://{domain}/docs/concepts/services-networking/service/',
  ),
];

/** Field selectors of Services. */
export const serviceFields = {
  'spec.clusterIP': ({ spec }: Frozen) => spec?.clusterIP ?? '',
  'spec.type': ({ spec }: Frozen) => spec?.type ?? '',
};
