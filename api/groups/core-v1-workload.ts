import { defineKind } from '../kinds/kind.ts';
import { Binding, PodTemplate, ReplicationController } from '../types/core-v1-workload.ts';
import { podTemplateColumns, podTemplateStrategy } from './core/pod-template.ts';
import {
  replicationControllerColumns,
  replicationControllerFields,
  replicationControllerStrategy,
  replicationControllerSubresources,
} from './core/replication-controller.ts';

const core = { group: '', version: 'v1', namespaced: true } as const;

/** The older form of `pods/binding`. */
export const bindings = defineKind<Binding>({
  ...core,
  kind: 'Binding',
  plural: 'bindings',
  schema: Binding,
  virtual: true,
});

export const podTemplates = defineKind<PodTemplate>({
  ...core,
  kind: 'PodTemplate',
  plural: 'podtemplates',
  schema: PodTemplate,
  strategy: podTemplateStrategy,
  columns: podTemplateColumns,
});

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
});
