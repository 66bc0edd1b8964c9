import { carryOver, sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import type { Deployment } from '../../types/apps-v1.ts';
import { validateDeployment, validateDeploymentStatus } from '../../validation/workload/deployment.ts';
import { validateSelectorUpdate } from '../../validation/workload/template.ts';
import { templateWarnings } from '../pod-warnings.ts';
import { scaleSubresource } from '../scale-subresource.ts';
import { statusSubresource } from '../status-subresource.ts';
import { templateColumns } from '../template-columns.ts';
import { defaultTemplate } from '../template-defaults.ts';
import { nextGeneration } from '../../kinds/generation.ts';

/**
 * Default of `maxUnavailable` and `maxSurge`: the share of pods that may be missing, or may exist in
 * addition, during an update.
 */
const SHARE = '25%';

/** Strategy of Deployments. */
export const deploymentStrategy: Strategy<Deployment> = {
  defaults(deployment) {
    const spec = (deployment.spec ??= { selector: null as never, template: {} });
    defaultTemplate((spec.template ??= {}));
    spec.replicas ??= 1;
    const strategy = (spec.strategy ??= {});
    strategy.type ||= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') {
      const update = (strategy.rollingUpdate ??= {});
      update.maxUnavailable ??= SHARE;
      update.maxSurge ??= SHARE;
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  },
  prepareForCreate(next) {
    next.status = {};
  },
  prepareForUpdate(next, previous) {
    carryOver(next, previous, 'status');
    const { metadata = {} } = next;
    const [annotations, before] = [metadata.annotations, previous.metadata?.annotations];
    // Annotations are copied to ReplicaSets, so a change of annotations also increments the generation. The
    // registry counts the changes of the spec.
    if (!sameValue(annotations ?? {}, before ?? {}) && sameValue(next.spec, previous.spec)) {
      metadata.generation = nextGeneration(metadata.generation);
    }
  },
  validate: validateDeployment,
  validateUpdate: (next, previous) => validateSelectorUpdate(next.spec?.selector, previous.spec?.selector),
  warnings: templateWarnings<Deployment>('spec.template', ({ spec }) => spec?.template),
};

/** Status subresource. Unlike that of other workloads, it preserves labels. */
const status: ObjectSubresource<Deployment> = {
  ...statusSubresource<Deployment>(validateDeploymentStatus),
  preservedMetadata: ['labels'],
  prepareForUpdate(next, previous) {
    carryOver(next, previous, 'spec');
    carryOver((next.metadata ??= {}), previous.metadata ?? {}, 'labels');
  },
};

/** Subresources of Deployments. */
export const deploymentSubresources = {
  status,
  scale: scaleSubresource,
};

/** Table columns of Deployments. */
export const deploymentColumns: readonly Column<Deployment>[] = [
  nameColumn,
  column<Deployment>(
    'Ready',
    ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    'Number of the pod with ready state',
  ),
  column<Deployment>(
    'Up-to-date',
    ({ status }) => status?.updatedReplicas ?? 0,
    'Total number of non-terminated pods targeted by this deployment that have the desired template spec.',
  ),
  column<Deployment>(
    'Available',
    ({ status }) => status?.availableReplicas ?? 0,
    'Total number of available pods (ready for at least minReadySeconds) targeted by this deployment.',
  ),
  ageColumn,
  ...templateColumns<Deployment>(
    ({ spec }) => spec,
    'Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this deployment.',
  ),
];
