import { defineKind } from '../kinds/kind.ts';
import { Endpoints, Service } from '../types/core-v1-service.ts';
import { serviceConnections } from './core/connections.ts';
import { endpointsColumns, endpointsStrategy } from './core/endpoints.ts';
import { serviceColumns, serviceFields, serviceStrategy, serviceSubresources } from './core/service.ts';

const core = { group: '', version: 'v1', namespaced: true } as const;

/** Kind `Endpoints` of `v1`. */
export const endpoints = defineKind<Endpoints>({
  ...core,
  kind: 'Endpoints',
  plural: 'endpoints',
  shortNames: ['ep'],
  schema: Endpoints,
  strategy: endpointsStrategy,
  columns: endpointsColumns,
  policy: { createOnUpdate: true },
});

/** Kind `Service` of `v1`. */
export const services = defineKind<Service>({
  ...core,
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  schema: Service,
  strategy: serviceStrategy,
  subresources: serviceSubresources,
  connections: serviceConnections,
  columns: serviceColumns,
  selectableFields: serviceFields,
  nameRule: 'dns-1035-label',
  policy: { createOnUpdate: true, returnsDeleted: true },
});
