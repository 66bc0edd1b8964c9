import { defineKind } from '../kinds/kind.ts';
import { CHANGE } from '../kinds/policy.ts';
import { Binding, ComponentStatus, PodTemplate, ReplicationController } from '../types/core-v1-workload.ts';
import { componentStatusColumns } from './core/component-status.ts';
import { podTemplateColumns, podTemplateStrategy } from './core/pod-template.ts';
import {
  replicationControllerColumns,
  replicationControllerFields,
  replicationControllerStrategy,
  replicationControllerSubresources,
} from './core/replication-controller.ts';

const core = { group: '', version: 'v1', namespaced: true } as const;

/** Kind `Binding` of `v1`, the older form of the subresource `pods/binding`. */
export const bindings = defineKind<Binding>({
  ...core,
  kind: 'Binding',
  plural: 'bindings',
  schema: Binding,
  virtual: true,
});

/**
 * Kind `ComponentStatus` of `v1`. Objects are never stored: each read runs the health checks of the control
 * plane's components.
 */
export const componentStatuses = defineKind<ComponentStatus>({
  ...core,
  namespaced: false,
  kind: 'ComponentStatus',
  plural: 'componentstatuses',
  shortNames: ['cs'],
  verbs: ['get', 'list'],
  schema: ComponentStatus,
  columns: componentStatusColumns,
  virtual: true,
  deprecated: { since: '1.19' },
});

/** Kind `PodTemplate` of `v1`. */
export const podTemplates = defineKind<PodTemplate>({
  ...core,
  kind: 'PodTemplate',
  plural: 'podtemplates',
  schema: PodTemplate,
  strategy: podTemplateStrategy,
  columns: podTemplateColumns,
  policy: { returnsDeleted: true, sharesItems: true, rechecks: CHANGE },
});

/** Kind `ReplicationController` of `v1`. */
export const replicationControllers = defineKind<ReplicationController>({
  ...core,
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
  categories: ['all'],
  generation: true,
  schema: ReplicationController,
  strategy: replicationControllerStrategy,
  subresources: replicationControllerSubresources,
  columns: replicationControllerColumns,
  selectableFields: replicationControllerFields,
  policy: { dependents: 'orphan', sharesItems: true },
});
