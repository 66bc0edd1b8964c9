import { defineKind } from '../kinds/kind.ts';
import { UNCHECKED, WHOLE } from '../kinds/policy.ts';
import { ConfigMap, Event, LimitRange, Namespace, Secret, ServiceAccount } from '../types/core-v1.ts';
import { Node } from '../types/core-v1-node.ts';
import { Pod } from '../types/core-v1-pod.ts';
import { TokenRequest } from '../types/authentication-v1.ts';
import { nodeConnections, podConnections } from './core/connections.ts';
import { configMapColumns, configMapStrategy } from './core/config-map.ts';
import { eventColumns, eventFields, eventStrategy } from './core/event.ts';
import { limitRangeStrategy } from './core/limit-range.ts';
import {
  namespaceColumns,
  namespaceFields,
  namespaceStrategy,
  namespaceSubresources,
} from './core/namespace.ts';
import { nodeColumns, nodeFields, nodeStrategy, nodeSubresources } from './core/node.ts';
import { podColumns, podFields } from './core/pod-columns.ts';
import { podStrategy, podSubresources } from './core/pod.ts';
import { secretColumns, secretFields, secretStrategy } from './core/secret.ts';
import { serviceAccountColumns, serviceAccountStrategy } from './core/service-account.ts';

const core = { group: '', version: 'v1' } as const;

/** Kind `Namespace` of `v1`. */
export const namespaces = defineKind<Namespace>({
  ...core,
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  namespaced: false,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  schema: Namespace,
  strategy: namespaceStrategy,
  subresources: namespaceSubresources,
  columns: namespaceColumns,
  selectableFields: namespaceFields,
  nameRule: 'label',
  policy: { deletion: 'namespace' },
});

/** Kind `Secret` of `v1`. */
export const secrets = defineKind<Secret>({
  ...core,
  kind: 'Secret',
  confidential: true,
  plural: 'secrets',
  namespaced: true,
  schema: Secret,
  strategy: secretStrategy,
  columns: secretColumns,
  selectableFields: secretFields,
});

/** Kind `ConfigMap` of `v1`. */
export const configMaps = defineKind<ConfigMap>({
  ...core,
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  namespaced: true,
  schema: ConfigMap,
  strategy: configMapStrategy,
  columns: configMapColumns,
  policy: { sharesItems: true },
});

/** Kind `Event` of `v1`. */
export const events = defineKind<Event>({
  ...core,
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  namespaced: true,
  schema: Event,
  anyFinalizer: true,
  strategy: eventStrategy,
  columns: eventColumns,
  selectableFields: eventFields,
  nameRule: 'path-segment',
  policy: { createOnUpdate: true, dependents: 'none', expires: true, rechecks: UNCHECKED },
});

/** Kind `Node` of `v1`. */
export const nodes = defineKind<Node>({
  ...core,
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  namespaced: false,
  schema: Node,
  strategy: nodeStrategy,
  subresources: nodeSubresources,
  connections: nodeConnections,
  columns: nodeColumns,
  selectableFields: nodeFields,
});

/** Kind `Pod` of `v1`. */
export const pods = defineKind<Pod>({
  ...core,
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  schema: Pod,
  strategy: podStrategy,
  subresources: podSubresources,
  connections: podConnections,
  columns: podColumns,
  selectableFields: podFields,
  policy: { returnsDeleted: true, deletion: 'pod' },
});

/** Kind `ServiceAccount` of `v1`. */
export const serviceAccounts = defineKind<ServiceAccount>({
  ...core,
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  namespaced: true,
  schema: ServiceAccount,
  strategy: serviceAccountStrategy,
  columns: serviceAccountColumns,
  subresources: {
    token: {
      verbs: ['create'],
      group: 'authentication',
      version: 'v1',
      kind: 'TokenRequest',
      schema: TokenRequest,
      confidential: true,
    },
  },
  policy: { returnsDeleted: true },
});

/** Kind `LimitRange` of `v1`. */
export const limitRanges = defineKind<LimitRange>({
  ...core,
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  namespaced: true,
  schema: LimitRange,
  strategy: limitRangeStrategy,
  policy: { createOnUpdate: true, rechecks: WHOLE },
});
