import { carryOver } from '../../kinds/carry-over.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import type { FieldErrors } from '../../status/field-errors.ts';
import type { ReplicaSet } from '../../types/apps-v1.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { nonNegative } from '../../validation/numbers.ts';
import {
  validateOwnSelector,
  validateReplicaStatus,
  validateReplicatedTemplate,
  validateSelectorUpdate,
} from '../../validation/workload/template.ts';
import { templateWarnings } from '../pod-warnings.ts';
import { replicaColumns } from '../replica-columns.ts';
import { scaleSubresource } from '../scale-subresource.ts';
import { statusSubresource } from '../status-subresource.ts';
import { SELECTORS_PAGE, templateColumns } from '../template-columns.ts';
import { defaultTemplate } from '../template-defaults.ts';

/** Strategy of ReplicaSets. */
export const replicaSetStrategy: Strategy<ReplicaSet> = {
  defaults(set) {
    const spec = (set.spec ??= { selector: null as never });
    defaultTemplate((spec.template ??= {}));
    spec.replicas ??= 1;
  },
  prepareForCreate(next) {
    next.status = { replicas: 0 };
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: (next, { vocabulary }) => validate(next, vocabulary),
  validatesChangeToo: true,
  validateUpdate: (next, previous) => validateSelectorUpdate(next.spec?.selector, previous.spec?.selector),
  warnings: templateWarnings<ReplicaSet>('spec.template', ({ spec }) => spec?.template),
};

/** Checks the rules of `ValidateReplicaSetSpec` in Kubernetes 1.24. Upstream's messages name Deployments. */
const validate = ({ spec }: DeepReadonly<ReplicaSet>, vocabulary: Vocabulary): FieldErrors => [
  ...nonNegative('spec.replicas', spec?.replicas),
  ...nonNegative('spec.minReadySeconds', spec?.minReadySeconds),
  ...validateOwnSelector(spec?.selector, 'spec.selector', 'deployment'),
  ...validateReplicatedTemplate(spec?.selector, spec?.template, 'spec.template', vocabulary),
];

/** Subresources of ReplicaSets. */
export const replicaSetSubresources = {
  status: statusSubresource<ReplicaSet>(({ status }) => validateReplicaStatus(status)),
  scale: scaleSubresource,
};

/** Table columns of ReplicaSets. */
export const replicaSetColumns: readonly Column<ReplicaSet>[] = [
  ...replicaColumns(
    'replica set',
    'https://{domain}/docs/concepts/workloads/controllers/replicationcontroller/#what-is-a-replicationcontroller',
  ),
  ...templateColumns<ReplicaSet>(
    ({ spec }) => spec,
    `Selector is a label query over pods that should match the replica count. If the selector is empty, it is defaulted to the labels present on the pod template. Label keys and values that must match in order to be controlled by this replica set. More info: ${SELECTORS_PAGE}`,
  ),
];
