import { CONDITION } from './shared.ts';
import type { Descriptions } from './texts.ts';

/** Descriptions of the group `apps`. */
export const apps = (): Descriptions => ({
  ControllerRevision: {
    '': 'A snapshot of the state that a DaemonSet or StatefulSet had at one revision; its data is immutable.',
    data: 'Encoded state, whose form only its controller knows.',
    revision: 'Number of the revision, rising with each change; a rollback makes an old state the newest.',
  },
  DaemonSet: {
    '': 'Runs a copy of a pod on every node that its template fits.',
    spec: 'Template and nodes of the pods, and the way to replace them.',
    status: 'On how many nodes the pod should run and does.',
  },
  DaemonSetCondition: {
    '': "One aspect of a DaemonSet's state; its controller sets none so far.",
    ...CONDITION,
    type: 'Name of the aspect.',
  },
  DaemonSetSpec: {
    '': 'Desired state of a DaemonSet.',
    minReadySeconds: 'Seconds a new pod must be ready before it counts as available; default 0.',
    revisionHistoryLimit: 'Number of old revisions to keep for rollbacks; default 10.',
    selector: "Chooses the pods that belong to the set; must match the template's labels, immutable.",
    template: 'Pod to run on each node that its node selector, affinity and tolerations allow.',
    updateStrategy: 'Replacement of running pods after a change of the template.',
  },
  DaemonSetStatus: {
    '': 'Last observed state of the set.',
    collisionCount: 'Number of name collisions of new revisions; makes the next name differ.',
    conditions: "Aspects of the set's state, one of each type.",
    currentNumberScheduled: 'Number of nodes that run the pod and should.',
    desiredNumberScheduled: 'Number of nodes that should run the pod.',
    numberAvailable: 'Number of nodes whose pod has been ready for `minReadySeconds`.',
    numberMisscheduled: 'Number of nodes that run the pod and should not.',
    numberReady: 'Number of nodes whose pod is ready.',
    numberUnavailable: 'Number of nodes that should run the pod and have none available.',
    observedGeneration: 'Generation of the spec that the status was computed from.',
    updatedNumberScheduled: 'Number of nodes that run the pod of the newest template.',
  },
  DaemonSetUpdateStrategy: {
    '': "Replacement of a DaemonSet's pods after a change.",
    rollingUpdate: 'Pace of a rolling update; only for type `RollingUpdate`.',
    type: '`RollingUpdate`, the default, replaces node by node; `OnDelete` waits for a client to delete the old pod.',
  },
  Deployment: {
    '': 'Keeps a number of equal pods running and moves them to a new template step by step.',
    spec: 'The pods wanted and the way to get there.',
    status: 'Progress of the pods.',
  },
  DeploymentCondition: {
    '': "One aspect of a Deployment's state.",
    ...CONDITION,
    lastUpdateTime: 'When the condition was last written, even if its status stayed the same.',
    type: '`Available`, `Progressing` or `ReplicaFailure`.',
  },
  DeploymentSpec: {
    '': 'Desired state of a Deployment.',
    minReadySeconds: 'Seconds a new pod must be ready before it counts as available; default 0.',
    paused: 'True makes no new revision of changes to the template until it is false again.',
    progressDeadlineSeconds:
      'Seconds without progress after which the rollout is reported as failed; default 600.',
    replicas: 'Number of pods wanted; default 1.',
    revisionHistoryLimit: 'Number of old ReplicaSets to keep for rollbacks; default 10.',
    selector: "Chooses the pods that belong to the deployment; must match the template's labels, immutable.",
    strategy: 'Replacement of old pods by new ones.',
    template: 'Pod to run; every change of it starts a rollout.',
  },
  DeploymentStatus: {
    '': 'Last observed state of the Deployment.',
    availableReplicas: 'Number of pods that have been ready for `minReadySeconds`.',
    collisionCount: 'Number of name collisions of new ReplicaSets; makes the next name differ.',
    conditions: 'Aspects of the rollout, one of each type.',
    observedGeneration: 'Generation of the spec that the status was computed from.',
    readyReplicas: 'Number of pods that are ready.',
    replicas: 'Number of pods there are, of any revision.',
    unavailableReplicas: 'Number of pods still missing before as many as wanted are available.',
    updatedReplicas: 'Number of pods of the newest template.',
  },
  DeploymentStrategy: {
    '': "Replacement of a Deployment's pods after a change.",
    rollingUpdate: 'Pace of a rolling update; only for type `RollingUpdate`.',
    type: '`RollingUpdate`, the default, exchanges pods by and by; `Recreate` ends all old ones first.',
  },
  ReplicaSet: {
    '': 'Keeps a number of equal pods running; usually made by a Deployment.',
    spec: 'Template of the pods, and their number.',
    status: 'Number of them.',
  },
  ReplicaSetCondition: {
    '': "One aspect of a ReplicaSet's state.",
    ...CONDITION,
    type: '`ReplicaFailure` when pods cannot be created or deleted.',
  },
  ReplicaSetSpec: {
    '': 'Desired state of a ReplicaSet.',
    minReadySeconds: 'Seconds a new pod must be ready before it counts as available; default 0.',
    replicas: 'Number of pods wanted; default 1.',
    selector: "Chooses the pods that count; must match the template's labels, immutable.",
    template: 'Pod to create when there are too few.',
  },
  ReplicaSetStatus: {
    '': 'Last observed state of the set.',
    availableReplicas: 'Number of pods that have been ready for `minReadySeconds`.',
    conditions: "Aspects of the set's state, one of each type.",
    fullyLabeledReplicas: 'Number of pods that have all labels of the template.',
    observedGeneration: 'Generation of the spec that the status was computed from.',
    readyReplicas: 'Number of pods that are ready.',
    replicas: 'Number of pods there are.',
  },
  RollingUpdateDaemonSet: {
    '': "Pace of a DaemonSet's rolling update; one of the two limits must be above zero.",
    maxSurge: 'Nodes, as a number or percentage rounded up, that may run old and new pod at once; default 0.',
    maxUnavailable:
      'Nodes, as a number or percentage rounded up, that may be without an available pod; default 1.',
  },
  RollingUpdateDeployment: {
    '': "Pace of a Deployment's rolling update; one of the two limits must be above zero.",
    maxSurge: 'Pods, as a number or percentage rounded up, that may exist beyond those wanted; default 25%.',
    maxUnavailable: 'Pods, as a number or percentage rounded down, that may be missing; default 25%.',
  },
  RollingUpdateStatefulSetStrategy: {
    '': "Pace of a StatefulSet's rolling update.",
    maxUnavailable:
      'Pods, as a number or percentage rounded up, that may be missing at once; default 1, behind a feature gate.',
    partition: 'Pods with an ordinal below it keep the old revision; default 0.',
  },
  StatefulSet: {
    '': 'Runs pods with stable names, an order and dedicated volumes.',
    spec: 'The pods and volumes wanted.',
    status: 'Progress of the pods.',
  },
  StatefulSetCondition: {
    '': "One aspect of a StatefulSet's state; its controller sets none so far.",
    ...CONDITION,
    type: 'Name of the aspect.',
  },
  StatefulSetPersistentVolumeClaimRetentionPolicy: {
    '': "Treatment of the claims made from the set's templates.",
    whenDeleted: '`Retain`, the default, or `Delete` the claims once the set is deleted.',
    whenScaled: '`Retain`, the default, or `Delete` the claims of pods beyond the number wanted.',
  },
  StatefulSetSpec: {
    '': 'Desired state of a StatefulSet.',
    minReadySeconds: 'Seconds a new pod must be ready before it counts as available; default 0.',
    persistentVolumeClaimRetentionPolicy:
      'Treatment of claims that are no longer used; by default they stay.',
    podManagementPolicy:
      '`OrderedReady`, the default, makes one pod after the other; `Parallel` all at once; immutable.',
    replicas: 'Number of pods wanted, with ordinals from 0; default 1.',
    revisionHistoryLimit: 'Number of old revisions to keep for rollbacks; default 10.',
    selector: "Chooses the pods that belong to the set; must match the template's labels, immutable.",
    serviceName: 'Headless Service that gives the pods their DNS names; immutable.',
    template: 'Pod to run; the set adds the name and the volumes.',
    updateStrategy: 'Replacement of running pods after a change of the template.',
    volumeClaimTemplates: 'Claims that are created for every pod, named by template and pod; immutable.',
  },
  StatefulSetStatus: {
    '': 'Last observed state of the set.',
    availableReplicas: 'Number of pods that have been ready for `minReadySeconds`.',
    collisionCount: 'Number of name collisions of new revisions; makes the next name differ.',
    conditions: "Aspects of the set's state, one of each type.",
    currentReplicas: 'Number of pods of the current revision.',
    currentRevision: 'Revision of the pods that are not updated yet.',
    observedGeneration: 'Generation of the spec that the status was computed from.',
    readyReplicas: 'Number of pods that are ready.',
    replicas: 'Number of pods there are.',
    updateRevision: 'Revision that the pods are being moved to.',
    updatedReplicas: 'Number of pods of the update revision.',
  },
  StatefulSetUpdateStrategy: {
    '': "Replacement of a StatefulSet's pods after a change.",
    rollingUpdate: 'Pace and extent of a rolling update; only for type `RollingUpdate`.',
    type: '`RollingUpdate`, the default, replaces from the last pod to the first; `OnDelete` waits for a client to delete one.',
  },
});
