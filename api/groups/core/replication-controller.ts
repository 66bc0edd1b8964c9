import { carryOver } from '../../kinds/carry-over.ts';
import { wideColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import type { ReplicationController } from '../../types/core-v1-workload.ts';
import { validateReplicaStatus } from '../../validation/workload/template.ts';
import { validateReplicationController } from '../../validation/workload/replication-controller.ts';
import { labelsText } from '../labels-text.ts';
import { templateWarnings } from '../pod-warnings.ts';
import { replicaColumns } from '../replica-columns.ts';
import { scaleSubresource } from '../scale-subresource.ts';
import { statusSubresource } from '../status-subresource.ts';
import { SELECTORS_PAGE, containerImages, containerNames } from '../template-columns.ts';
import { defaultTemplate } from '../template-defaults.ts';

const isEmpty = (map: object | undefined): boolean => Object.keys(map ?? {}).length === 0;

function inheritLabels(controller: ReplicationController): void {
  const labels = controller.spec?.template?.metadata?.labels;
  if (isEmpty(labels) || !isEmpty(controller.metadata?.labels)) return;
  controller.metadata = { ...controller.metadata, labels: { ...labels } };
}

/** Strategy of ReplicationControllers. */
export const replicationControllerStrategy: Strategy<ReplicationController> = {
  defaults(controller) {
    const spec = (controller.spec ??= {});
    spec.replicas ??= 1;
    if (spec.template === undefined) return;
    defaultTemplate(spec.template);
    const labels = spec.template.metadata?.labels;
    if (isEmpty(labels)) return;
    // An empty selector or empty labels default to the labels of the pod template.
    if (isEmpty(spec.selector)) spec.selector = { ...labels };
    inheritLabels(controller);
  },
  prepareForCreate(next) {
    next.status = { replicas: 0 };
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: validateReplicationController,
  validatesChangeToo: true,
  warnings: templateWarnings<ReplicationController>('spec.template', ({ spec }) => spec?.template),
};

const status = statusSubresource<ReplicationController>(({ status: reported }) =>
  validateReplicaStatus(reported),
);

/** Subresources of ReplicationControllers. */
export const replicationControllerSubresources = {
  status: {
    ...status,
    prepareForUpdate(next, previous, context) {
      status.prepareForUpdate(next, previous, context);
      // Restores labels that a status update omits. Upstream restores them too, because it sets defaults each
      // time it reads a stored object.
      inheritLabels(next);
    },
  } satisfies ObjectSubresource<ReplicationController>,
  scale: scaleSubresource,
};

/** Table columns of ReplicationControllers. */
export const replicationControllerColumns: readonly Column<ReplicationController>[] = [
  ...replicaColumns(
    'replication controller',
    'https://{domain}/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller',
  ),
  wideColumn<ReplicationController>(
    'Containers',
    ({ spec }) => containerNames(spec?.template),
    'Names of each container in the template.',
  ),
  wideColumn<ReplicationController>(
    'Images',
    ({ spec }) => containerImages(spec?.template),
    'Images referenced by each container in the template.',
  ),
  wideColumn<ReplicationController>(
    'Selector',
    ({ spec }) => labelsText(spec?.selector),
    `Selector is a label query over pods that should match the Replicas count. If Selector is empty, it is defaulted to the labels present on the Pod template. Label keys and values that must match in order to be controlled by this replication controller, if empty defaulted to labels on Pod template. More info: ${SELECTORS_PAGE}`,
  ),
];

/** Field selectors of ReplicationControllers. */
export const replicationControllerFields = {
  'status.replicas': ({ status }: DeepReadonly<ReplicationController>) => String(status?.replicas ?? 0),
};
