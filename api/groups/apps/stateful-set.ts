import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy, StrategyContext } from '../../kinds/kind.ts';
import type { StatefulSet } from '../../types/apps-v1.ts';
import {
  validateStatefulSet,
  validateStatefulSetStatus,
  validateStatefulSetUpdate,
} from '../../validation/workload/stateful-set.ts';
import { defaultClaim } from '../core/persistent-volume-claim.ts';
import { templateWarnings } from '../pod-warnings.ts';
import { scaleSubresource } from '../scale-subresource.ts';
import { statusSubresource } from '../status-subresource.ts';
import { containerImages, containerNames } from '../template-columns.ts';
import { defaultTemplate } from '../template-defaults.ts';

/** Removes the fields of disabled features, unless the previous object has them. */
function dropDisabled(
  { spec }: StatefulSet,
  before: DeepReadonly<StatefulSet> | undefined,
  { enabled }: StrategyContext,
): void {
  if (spec === undefined) return;
  const had = before?.spec?.persistentVolumeClaimRetentionPolicy !== undefined;
  if (!enabled('StatefulSetAutoDeletePVC') && !had) delete spec.persistentVolumeClaimRetentionPolicy;
  // The feature gate of this field is off by default upstream, and no feature gate of this server enables the
  // field.
  if (spec.updateStrategy?.rollingUpdate) delete spec.updateStrategy.rollingUpdate.maxUnavailable;
}

function defaultRetention(spec: NonNullable<StatefulSet['spec']>): void {
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ||= 'Retain';
  retention.whenScaled ||= 'Retain';
}

/** Strategy of StatefulSets. */
export const statefulSetStrategy: Strategy<StatefulSet> = {
  defaults(set, { enabled }) {
    const spec = (set.spec ??= { selector: null as never, template: {}, serviceName: '' });
    defaultTemplate((spec.template ??= {}));
    spec.podManagementPolicy ||= 'OrderedReady';
    const strategy = (spec.updateStrategy ??= {});
    if (!strategy.type) {
      strategy.type = 'RollingUpdate';
      strategy.rollingUpdate ??= {};
    }
    if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
    if (enabled('StatefulSetAutoDeletePVC')) defaultRetention(spec);
    spec.replicas ??= 1;
    spec.revisionHistoryLimit ??= 10;
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion = 'v1';
      claim.kind = 'PersistentVolumeClaim';
      defaultClaim(claim);
    }
  },
  prepareForCreate(next, context) {
    next.status = { replicas: 0, availableReplicas: 0 };
    dropDisabled(next, undefined, context);
  },
  prepareForUpdate(next, previous, context) {
    carryOver(next, previous, 'status');
    dropDisabled(next, previous, context);
  },
  validate: validateStatefulSet,
  validateUpdate: (next, previous) => validateStatefulSetUpdate(next, previous),
  warnings: templateWarnings<StatefulSet>('spec.template', ({ spec }) => spec?.template),
};

/** Subresources of StatefulSets. */
export const statefulSetSubresources = {
  status: statusSubresource<StatefulSet>(validateStatefulSetStatus),
  scale: scaleSubresource,
};

/** Table columns of StatefulSets. */
export const statefulSetColumns: readonly Column<StatefulSet>[] = [
  nameColumn,
  column<StatefulSet>(
    'Ready',
    ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    'Number of the pod with ready state',
  ),
  ageColumn,
  wideColumn<StatefulSet>(
    'Containers',
    ({ spec }) => containerNames(spec?.template),
    'Names of each container in the template.',
  ),
  wideColumn<StatefulSet>(
    'Images',
    ({ spec }) => containerImages(spec?.template),
    'Images referenced by each container in the template.',
  ),
];
