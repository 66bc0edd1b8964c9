import { carryOver, sameValue } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import type { Deployment } from '../../types/apps-v1.ts';
import { validateDeployment, validateDeploymentStatus } from '../../validation/deployment.ts';
import { validateSelectorUpdate } from '../../validation/pod-controllers.ts';
import { scaleSubresource } from '../scale-subresource.ts';
import { statusSubresource } from '../status-subresource.ts';
import { templateColumns } from '../template-columns.ts';
import { defaultTemplate } from '../template-defaults.ts';

/** How much may be missing, and how much too many, while pods are replaced. */
const SHARE = '25%';

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
    // Annotations count as part of what is wanted: they go down to the replica sets. The registry counts the spec.
    if (!sameValue(annotations ?? {}, before ?? {}) && sameValue(next.spec, previous.spec)) {
      metadata.generation = (metadata.generation ?? 0) + 1;
    }
  },
  validate: (next) => validateDeployment(next),
  validateUpdate: (next, previous) => validateSelectorUpdate(next.spec?.selector, previous.spec?.selector),
};

export const deploymentSubresources = {
  status: statusSubresource<Deployment>(validateDeploymentStatus),
  scale: scaleSubresource,
};

export const deploymentColumns: readonly Column<Deployment>[] = [
  nameColumn,
  column<Deployment>('Ready', ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
  column<Deployment>('Up-to-date', ({ status }) => status?.updatedReplicas ?? 0),
  column<Deployment>('Available', ({ status }) => status?.availableReplicas ?? 0),
  ageColumn,
  ...templateColumns<Deployment>(({ spec }) => spec),
];
