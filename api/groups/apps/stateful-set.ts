import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn, wideColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import type { StatefulSet } from '../../types/apps-v1.ts';
import {
  validateStatefulSet,
  validateStatefulSetStatus,
  validateStatefulSetUpdate,
} from '../../validation/stateful-set.ts';
import { defaultClaim } from '../core/persistent-volume-claim.ts';
import { scaleSubresource } from '../scale-subresource.ts';
import { statusSubresource } from '../status-subresource.ts';
import { containerImages, containerNames } from '../template-columns.ts';
import { defaultTemplate } from '../template-defaults.ts';

/** Fields of release 1.24 that are behind gates which are closed by default. */
function dropGated({ spec }: StatefulSet): void {
  if (spec === undefined) return;
  delete spec.persistentVolumeClaimRetentionPolicy;
  if (spec.updateStrategy?.rollingUpdate) delete spec.updateStrategy.rollingUpdate.maxUnavailable;
}

export const statefulSetStrategy: Strategy<StatefulSet> = {
  defaults(set) {
    const spec = (set.spec ??= { selector: null as never, template: {}, serviceName: '' });
    defaultTemplate((spec.template ??= {}));
    spec.podManagementPolicy ||= 'OrderedReady';
    const strategy = (spec.updateStrategy ??= {});
    strategy.type ||= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') (strategy.rollingUpdate ??= {}).partition ??= 0;
    spec.replicas ??= 1;
    spec.revisionHistoryLimit ??= 10;
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion = 'v1';
      claim.kind = 'PersistentVolumeClaim';
      defaultClaim(claim);
    }
  },
  prepareForCreate(next) {
    next.status = { replicas: 0, availableReplicas: 0 };
    dropGated(next);
  },
  prepareForUpdate(next, previous) {
    carryOver(next, previous, 'status');
    dropGated(next);
  },
  validate: (next) => validateStatefulSet(next),
  validateUpdate: (next, previous) => validateStatefulSetUpdate(next, previous),
};

export const statefulSetSubresources = {
  status: statusSubresource<StatefulSet>(validateStatefulSetStatus),
  scale: scaleSubresource,
};

export const statefulSetColumns: readonly Column<StatefulSet>[] = [
  nameColumn,
  column<StatefulSet>('Ready', ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`),
  ageColumn,
  wideColumn<StatefulSet>('Containers', ({ spec }) => containerNames(spec?.template)),
  wideColumn<StatefulSet>('Images', ({ spec }) => containerImages(spec?.template)),
];
