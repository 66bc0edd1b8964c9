import { describe, expect, it } from 'vitest';
import type { Pod } from '../../types/core-v1-pod.ts';
import { created, row, texts, updated } from '../fixture.ts';
import { pods } from '../core-v1.ts';

const pod = (spec: object = {}, rest: object = {}) => ({
  metadata: { name: 'p', namespace: 'd', resourceVersion: '1' },
  spec: { containers: [{ name: 'c', image: 'nginx' }], ...spec },
  ...rest,
});
const container = (fields: object) => pod({ containers: [{ name: 'c', image: 'nginx', ...fields }] });
const errorsOf = (body: object) => texts(created(pods, body).errors);

describe('a new pod', () => {
  it('has every default of release 1.24', () => {
    const { object, errors } = created(pods, pod());
    expect(errors).toEqual([]);
    expect(object.spec).toEqual({
      containers: [
        {
          name: 'c',
          image: 'nginx',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
        },
      ],
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
      securityContext: {},
      enableServiceLinks: true,
    });
  });

  it.each([
    ['nginx', 'Always'],
    ['nginx:latest', 'Always'],
    ['host:5000/nginx', 'Always'],
    ['nginx:1.2', 'IfNotPresent'],
    ['nginx@sha256:abc', 'IfNotPresent'],
  ])('pulls %s %s', (image, policy) => {
    expect(created(pods, container({ image })).object.spec?.containers[0]?.imagePullPolicy).toBe(policy);
  });

  it('requests what it is limited to, unless it says so itself', () => {
    const resources = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } };
    expect(created(pods, container({ resources })).object.spec?.containers[0]?.resources).toEqual({
      limits: { cpu: '1', memory: '1Gi' },
      requests: { cpu: '500m', memory: '1Gi' },
    });
  });

  it('has volumes that are empty folders or carry default modes', () => {
    const { object } = created(
      pods,
      pod({
        volumes: [
          { name: 'a' },
          { name: 'b', secret: { secretName: 's' } },
          { name: 'c', hostPath: { path: '/x' } },
        ],
      }),
    );
    expect(object.spec?.volumes).toEqual([
      { name: 'a', emptyDir: {} },
      { name: 'b', secret: { secretName: 's', defaultMode: 420 } },
      { name: 'c', hostPath: { path: '/x', type: '' } },
    ]);
  });

  it('never keeps a status of its author', () => {
    const { object } = created(pods, pod({}, { status: { phase: 'Running', podIP: '1.2.3.4' } }));
    expect(object.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  it.each([
    [{}, 'BestEffort'],
    [{ requests: { cpu: '1' } }, 'Burstable'],
    [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
    [{ limits: { cpu: '1' } }, 'Burstable'],
  ])('with %j is %s', (resources, qos) => {
    expect(created(pods, container({ resources })).object.status?.qosClass).toBe(qos);
  });
});

describe('pod validation', () => {
  it.each<[string, object, string]>([
    ['no container', pod({ containers: [] }), 'spec.containers: Required value'],
    [
      'a container without a name',
      pod({ containers: [{ image: 'i' }] }),
      'spec.containers[0].name: Required value',
    ],
    [
      'a container without an image',
      pod({ containers: [{ name: 'c' }] }),
      'spec.containers[0].image: Required value',
    ],
    [
      'two containers of one name',
      pod({
        containers: [
          { name: 'c', image: 'i' },
          { name: 'c', image: 'i' },
        ],
      }),
      'spec.containers[1].name: Duplicate value: "c"',
    ],
    [
      'an unknown restart policy',
      pod({ restartPolicy: 'Sometimes' }),
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    ],
    [
      'a port out of range',
      container({ ports: [{ containerPort: 70_000 }] }),
      'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ],
    [
      'a mount of no volume',
      container({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    ],
    [
      'a request above its limit',
      container({ resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } }),
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit',
    ],
    [
      'an environment variable with a value and a source',
      container({
        env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      }),
      'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
    ],
    [
      'a liveness probe that must succeed twice',
      container({ livenessProbe: { exec: { command: ['x'] }, successThreshold: 2 } }),
      'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
    ],
    [
      'a probe without a handler',
      container({ readinessProbe: {} }),
      'spec.containers[0].readinessProbe: Required value: must specify a handler type',
    ],
    [
      'a volume of two types',
      pod({ volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }] }),
      'spec.volumes[0].emptyDir: Forbidden: may not specify more than 1 volume type',
    ],
    [
      'a toleration time without NoExecute',
      pod({ tolerations: [{ key: 'k', operator: 'Exists', tolerationSeconds: 3 }] }),
      'spec.tolerations[0].effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
    ],
    [
      'a node affinity without terms',
      pod({
        affinity: {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
        },
      }),
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term',
    ],
    [
      'a pod affinity without a topology',
      pod({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] } } }),
      'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty',
    ],
    [
      'a negative user',
      container({ securityContext: { runAsUser: -1 } }),
      'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
  ])('refuses %s', (_what, body, error) => {
    expect(errorsOf(body)).toContain(error);
  });
});

describe('an update of a pod', () => {
  const { object } = created(pods, pod({ activeDeadlineSeconds: 10 }));
  const errors = (change: (draft: Pod) => void) => texts(updated(pods, object, change).errors);

  it('may change the image, bring the deadline forward and add tolerations', () => {
    expect(
      errors(({ spec }) => {
        if (!spec) return;
        for (const each of spec.containers) each.image = 'nginx:2';
        spec.activeDeadlineSeconds = 5;
        spec.tolerations = [{ key: 'k', operator: 'Exists' }];
      }),
    ).toEqual([]);
  });

  it('never changes anything else of the spec', () => {
    expect(errors(({ spec }) => spec && (spec.nodeName = 'n1'))).toEqual([
      expect.stringContaining(
        'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`',
      ),
    ]);
  });

  it('never puts the deadline off', () => {
    expect(errors(({ spec }) => spec && (spec.activeDeadlineSeconds = 20))).toEqual([
      'spec.activeDeadlineSeconds: Invalid value: 20: must be less than or equal to previous value',
    ]);
  });

  it('never takes or adds a container', () => {
    expect(errors(({ spec }) => spec && (spec.containers = []))).toContain(
      'spec.containers: Forbidden: pod updates may not add or remove containers',
    );
  });

  it('of its status changes nothing but the status', () => {
    const next = updated(
      pods,
      object,
      (draft) => {
        draft.status = { phase: 'Running' };
        draft.spec = { containers: [] };
      },
      'status',
    ).object;
    expect(next.spec).toEqual(object.spec);
    expect(next.status).toEqual({ phase: 'Running', qosClass: 'BestEffort' });
  });
});

describe('the row of a pod', () => {
  const running = { name: 'c', ready: true, restartCount: 0, state: { running: {} } };
  const rowOf = (status: object, metadata: object = {}) =>
    row(pods, { ...created(pods, pod()).object, status, metadata: { name: 'p', ...metadata } } as Pod);

  it('counts ready containers and restarts', () => {
    const restarted = {
      ...running,
      restartCount: 3,
      lastState: { terminated: { exitCode: 1, finishedAt: '2024-01-02T02:04:05Z' } },
    };
    expect(rowOf({ phase: 'Running', containerStatuses: [restarted] })).toMatchObject({
      Ready: '1/1',
      Status: 'Running',
      Restarts: '3 (60m ago)',
      IP: '<none>',
    });
  });

  it.each<[object, string]>([
    [{ phase: 'Pending' }, 'Pending'],
    [{ phase: 'Failed', reason: 'Evicted' }, 'Evicted'],
    [
      { phase: 'Running', containerStatuses: [{ state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
      'CrashLoopBackOff',
    ],
    [{ phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 3 } } }] }, 'ExitCode:3'],
    [{ phase: 'Pending', initContainerStatuses: [{ state: { running: {} } }] }, 'Init:0/0'],
    [
      {
        phase: 'Running',
        containerStatuses: [running, { state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
      },
      'NotReady',
    ],
  ])('of %j says %s', (status, text) => {
    expect(rowOf(status)).toMatchObject({ Status: text });
  });

  it('says Terminating once the pod is being deleted', () => {
    expect(rowOf({ phase: 'Running' }, { deletionTimestamp: '2024-01-02T03:04:05Z' })).toMatchObject({
      Status: 'Terminating',
    });
  });
});
