import { describe, expect, it } from 'vitest';
import { daemonSets, deployments, replicaSets, statefulSets, controllerRevisions } from '../apps-v1.ts';
import { context, created, decoded, everyFeature, row, texts, updated } from '../fixture.ts';

const template = (labels: object = { a: 'b' }): object => ({
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});
const body = (spec: object = {}): object => ({
  metadata: { name: 'web', namespace: 'd', resourceVersion: '1' },
  spec: { selector: { matchLabels: { a: 'b' } }, template: template(), ...spec },
});
const MISMATCH = '`selector` does not match template `labels`';

describe('a Deployment', () => {
  it('updates at most a quarter of its pods at a time by default', () => {
    expect(decoded(deployments, body()).spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      template: { spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 30 } },
    });
  });

  it('requires a selector, matching labels and containers', () => {
    const { errors } = created(deployments, { metadata: { name: 'd' } });
    expect(texts(errors)).toEqual([
      'spec.selector: Required value',
      `spec.template.metadata.labels: Invalid value: map[string]string(nil): ${MISMATCH}`,
      'spec.template.spec.containers: Required value',
    ]);
  });

  it.each([
    [
      { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: may not be 0 when `maxSurge` is 0',
    ],
    [
      { strategy: { rollingUpdate: { maxUnavailable: '200%' } } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"200%"}: must not be greater than 100%',
    ],
    [
      { strategy: { type: 'Recreate', rollingUpdate: {} } },
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      { strategy: { type: 'Odd' } },
      'spec.strategy: Unsupported value: apps.DeploymentStrategy{Type:"Odd", RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}: supported values: "Recreate", "RollingUpdate"',
    ],
    [
      { selector: { matchExpressions: [{ key: 'a', operator: 'Odd' }] } },
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement{v1.LabelSelectorRequirement{Key:"a", Operator:"Odd", Values:[]string(nil)}}}: invalid label selector',
    ],
    [{ replicas: -1 }, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [
      { progressDeadlineSeconds: 5, minReadySeconds: 5 },
      'spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds',
    ],
    [
      { selector: {} },
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for deployment',
    ],
  ])('is rejected with the spec %j', (spec, complaint) => {
    expect(texts(created(deployments, body(spec)).errors)).toContain(complaint);
  });

  it('has an immutable selector', () => {
    const { object } = created(deployments, body());
    const { errors } = updated(deployments, object, ({ spec }) => {
      if (!spec) return;
      spec.selector = { matchLabels: { a: 'c' } };
      spec.template.metadata = { labels: { a: 'c' } };
    });
    expect(texts(errors)).toEqual([
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"c"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ]);
  });

  it('increments its generation for changed annotations, and retains its status in an update', () => {
    const { object } = created(deployments, body());
    object.metadata = { ...object.metadata, generation: 4 };
    const { object: next } = updated(deployments, object, (draft) => {
      draft.metadata = { ...draft.metadata, annotations: { note: 'x' } };
      draft.status = { replicas: 9 };
    });
    expect(next.metadata?.generation).toBe(5);
    expect(next.status).toEqual({});
  });

  it('has no more ready replicas than replicas', () => {
    const { object } = created(deployments, body());
    const { errors } = updated(
      deployments,
      object,
      (draft) => (draft.status = { replicas: 1, readyReplicas: 2 }),
      'status',
    );
    expect(texts(errors)).toEqual([
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
    ]);
  });

  it('shows its containers and images in its row', () => {
    const { object } = created(deployments, body({ replicas: 3 }));
    expect(row(deployments, object)).toMatchObject({
      Ready: '0/3',
      'Up-to-date': 0,
      Available: 0,
      Containers: 'c',
      Images: 'i',
      Selector: 'a=b',
    });
  });
});

describe('a ReplicaSet', () => {
  it('runs one pod by default', () => {
    const { object, errors } = created(replicaSets, body());
    expect(errors).toEqual([]);
    expect(object.spec?.replicas).toBe(1);
    expect(row(replicaSets, object)).toMatchObject({ Desired: 1, Current: 0, Ready: 0 });
  });

  it('rejects pods that do not restart', () => {
    const spec = {
      template: { ...template(), spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
    };
    expect(texts(created(replicaSets, body(spec)).errors)).toEqual([
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ]);
  });
});

describe('a StatefulSet', () => {
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };

  it('starts its pods in order and has the defaults of its claim templates', () => {
    const { object, errors } = created(
      statefulSets,
      body({ serviceName: 'x', volumeClaimTemplates: [claim] }),
    );
    expect(errors).toEqual([]);
    expect(object.spec).toMatchObject({
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      volumeClaimTemplates: [
        {
          kind: 'PersistentVolumeClaim',
          apiVersion: 'v1',
          spec: { volumeMode: 'Filesystem' },
          status: { phase: 'Pending' },
        },
      ],
    });
  });

  it.each([
    [{}, { type: 'RollingUpdate', rollingUpdate: { partition: 0 } }],
    [{ rollingUpdate: {} }, { type: 'RollingUpdate', rollingUpdate: { partition: 0 } }],
    [{ type: 'RollingUpdate' }, { type: 'RollingUpdate' }],
    [{ type: 'OnDelete' }, { type: 'OnDelete' }],
  ])('with the update strategy %j is defaulted to %j', (updateStrategy, filled) => {
    const { object } = created(statefulSets, body({ serviceName: 'x', updateStrategy }));
    expect(object.spec?.updateStrategy).toEqual(filled);
  });

  it('retains its claim retention policy only if the feature is enabled, and then has it defaulted', () => {
    const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete' };
    const spec = { persistentVolumeClaimRetentionPolicy };
    const retention = (known = everyFeature, given: object = spec) =>
      created(statefulSets, body({ serviceName: 's', ...given }), known).object.spec
        ?.persistentVolumeClaimRetentionPolicy;
    expect(retention(context)).toBeUndefined();
    expect(retention()).toEqual({ whenDeleted: 'Delete', whenScaled: 'Retain' });
    expect(retention(everyFeature, {})).toEqual({ whenDeleted: 'Retain', whenScaled: 'Retain' });
    const wrong = { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Keep' } };
    expect(texts(created(statefulSets, body({ serviceName: 's', ...wrong }), everyFeature).errors)).toEqual([
      'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Keep": supported values: "Retain", "Delete"',
    ]);
  });

  it('may mount volumes of its claim templates', () => {
    const pod = {
      containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/d' }] }],
    };
    const spec = { serviceName: 'x', volumeClaimTemplates: [claim], template: { ...template(), spec: pod } };
    expect(created(statefulSets, body(spec)).errors).toEqual([]);
  });

  it('allows changes of replicas, template and update strategy only', () => {
    const { object } = created(statefulSets, body({ serviceName: 'x' }));
    const allowed = updated(statefulSets, object, (draft) => {
      if (draft.spec)
        draft.spec = { ...draft.spec, replicas: 5, minReadySeconds: 1, updateStrategy: { type: 'OnDelete' } };
    });
    expect(allowed.errors).toEqual([]);
    const refused = updated(statefulSets, object, ({ spec }) => spec && (spec.serviceName = 'y'));
    expect(texts(refused.errors)).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ]);
  });
});

describe('a DaemonSet', () => {
  const GENERATION = 'deprecated.daemonset.template.generation';

  it('counts the changes of its template', () => {
    const { object } = created(daemonSets, body());
    expect(object.metadata?.annotations?.[GENERATION]).toBe('1');
    const same = updated(
      daemonSets,
      object,
      (draft) => (draft.metadata = { ...draft.metadata, annotations: {} }),
    );
    expect(same.object.metadata?.annotations?.[GENERATION]).toBe('1');
    const reported = updated(daemonSets, object, (draft) => delete draft.metadata?.annotations, 'status');
    expect(reported.object.metadata?.annotations?.[GENERATION]).toBe('1');
    const changed = updated(
      daemonSets,
      object,
      ({ spec }) => spec && (spec.template.metadata = { labels: { a: 'b', c: 'd' } }),
    );
    expect(changed.object.metadata?.annotations?.[GENERATION]).toBe('2');
  });

  it('rejects an unknown update strategy', () => {
    expect(texts(created(daemonSets, body({ updateStrategy: { type: 'Odd' } })).errors)).toEqual([
      'spec.updateStrategy: Unsupported value: apps.DaemonSetUpdateStrategy{Type:"Odd", RollingUpdate:(*apps.RollingUpdateDaemonSet)(nil)}: supported values: "RollingUpdate", "OnDelete"',
    ]);
  });

  it('allows either a surge or unavailable pods', () => {
    const rolling = (rollingUpdate: object): readonly string[] =>
      texts(created(daemonSets, body({ updateStrategy: { rollingUpdate } })).errors);
    expect(rolling({ maxSurge: 1, maxUnavailable: 0 })).toEqual([]);
    expect(rolling({ maxUnavailable: 0 })).toEqual([
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ]);
    expect(rolling({ maxSurge: 1 })).toEqual([
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:0, IntVal:1, StrVal:""}: may not be set when maxUnavailable is non-zero',
    ]);
  });
});

describe('a ControllerRevision', () => {
  const revision = {
    metadata: {
      name: 'r',
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'w', uid: 'u', controller: true }],
    },
    revision: 3,
    data: { a: 1 },
  };

  it('has immutable data', () => {
    const { object, errors } = created(controllerRevisions, revision);
    expect(errors).toEqual([]);
    const { errors: refused } = updated(controllerRevisions, object, (draft) => (draft.data = { a: 2 }));
    expect(texts(refused)).toEqual(['data: Invalid value: {"a":2}: field is immutable']);
    expect(row(controllerRevisions, object)).toMatchObject({ Controller: 'daemonset.apps/w', Revision: 3 });
  });

  it('requires data', () => {
    expect(texts(created(controllerRevisions, { metadata: { name: 'r' }, revision: 1 }).errors)).toEqual([
      'data: Required value: data is mandatory',
    ]);
  });
});
