import { defineKind } from '../kinds/kind.ts';
import { CHANGE } from '../kinds/policy.ts';
import { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../types/apps-v1.ts';
import { controllerRevisionColumns, controllerRevisionStrategy } from './apps/controller-revision.ts';
import { daemonSetColumns, daemonSetStrategy, daemonSetSubresources } from './apps/daemon-set.ts';
import { deploymentColumns, deploymentStrategy, deploymentSubresources } from './apps/deployment.ts';
import { replicaSetColumns, replicaSetStrategy, replicaSetSubresources } from './apps/replica-set.ts';
import { statefulSetColumns, statefulSetStrategy, statefulSetSubresources } from './apps/stateful-set.ts';

const apps = { group: 'apps', version: 'v1', namespaced: true } as const;
const workload = { ...apps, categories: ['all'], generation: true } as const;

/** Kind `ControllerRevision` of `apps/v1`. */
export const controllerRevisions = defineKind<ControllerRevision>({
  ...apps,
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  schema: ControllerRevision,
  strategy: controllerRevisionStrategy,
  columns: controllerRevisionColumns,
});

/** Kind `DaemonSet` of `apps/v1`. */
export const daemonSets = defineKind<DaemonSet>({
  ...workload,
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  schema: DaemonSet,
  strategy: daemonSetStrategy,
  subresources: daemonSetSubresources,
  columns: daemonSetColumns,
  policy: { sharesItems: true },
});

/** Kind `Deployment` of `apps/v1`. */
export const deployments = defineKind<Deployment>({
  ...workload,
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  schema: Deployment,
  strategy: deploymentStrategy,
  subresources: deploymentSubresources,
  columns: deploymentColumns,
  policy: { sharesItems: true, rechecks: CHANGE },
});

/** Kind `ReplicaSet` of `apps/v1`. */
export const replicaSets = defineKind<ReplicaSet>({
  ...workload,
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  schema: ReplicaSet,
  strategy: replicaSetStrategy,
  subresources: replicaSetSubresources,
  columns: replicaSetColumns,
  policy: { sharesItems: true },
});

/** Kind `StatefulSet` of `apps/v1`. */
export const statefulSets = defineKind<StatefulSet>({
  ...workload,
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  schema: StatefulSet,
  strategy: statefulSetStrategy,
  subresources: statefulSetSubresources,
  columns: statefulSetColumns,
  policy: { sharesItems: true },
});
