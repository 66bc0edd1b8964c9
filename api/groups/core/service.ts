import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, NONE, nameColumn, wideColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type { Service, ServicePort } from '../../types/core-v1-service.ts';
import { validateService, validateServiceStatus, validateServiceUpdate } from '../../validation/service.ts';
import { labelsText } from '../labels-text.ts';
import { statusSubresource } from '../status-subresource.ts';
import { defaultService, dropOldTypeFields, keepAllocated, normaliseClusterIps } from './service-shape.ts';

type Frozen = DeepReadonly<Service>;

/** Addresses and ports are given by the server once a service is known to be valid, not here. */
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
  },
  validate: (next, { vocabulary }) => validateService(next, vocabulary.agent),
  validateUpdate: (next, previous) => validateServiceUpdate(next, previous),
};

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

export const serviceColumns: readonly Column<Service>[] = [
  nameColumn,
  column<Service>('Type', ({ spec }) => spec?.type ?? ''),
  column<Service>('Cluster-IP', ({ spec }) => spec?.clusterIPs?.[0] ?? NONE),
  column<Service>('External-IP', externalText),
  column<Service>('Port(s)', ({ spec }) => (spec?.ports ?? []).map(portText).join(',') || NONE),
  ageColumn,
  wideColumn<Service>('Selector', ({ spec }) => labelsText(spec?.selector)),
];

export const serviceFields = {
  'spec.clusterIP': ({ spec }: Frozen) => spec?.clusterIP ?? '',
  'spec.type': ({ spec }: Frozen) => spec?.type ?? '',
};
