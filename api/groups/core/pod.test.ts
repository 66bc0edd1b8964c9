import { describe, expect, it } from 'vitest';
import { created } from '../fixture.ts';
import { pods } from '../core-v1.ts';
import { container, errorsOf, pod } from './pod.fixture.ts';

describe('a new Pod', () => {
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
    [`nginx@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
    [`nginx:latest@sha256:${'a'.repeat(64)}`, 'Always'],
    ['nginx@sha256:abc', 'IfNotPresent'],
    ['Nginx', 'IfNotPresent'],
    ['a'.repeat(64), 'IfNotPresent'],
    ['a'.repeat(300), 'IfNotPresent'],
  ])('has for the image %s the default pull policy %s', (image, policy) => {
    expect(created(pods, container({ image })).object.spec?.containers[0]?.imagePullPolicy).toBe(policy);
  });

  it('has its limits as default requests', () => {
    const resources = { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } };
    expect(created(pods, container({ resources })).object.spec?.containers[0]?.resources).toEqual({
      limits: { cpu: '1', memory: '1Gi' },
      requests: { cpu: '500m', memory: '1Gi' },
    });
  });

  it('has volumes that default to empty directories and have default file modes', () => {
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

  it('has no status that its author sets', () => {
    const { object } = created(pods, pod({}, { status: { phase: 'Running', podIP: '1.2.3.4' } }));
    expect(object.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  it.each([
    [{}, 'BestEffort'],
    [{ requests: { cpu: '1' } }, 'Burstable'],
    [{ limits: { cpu: '1', memory: '1Gi' } }, 'Guaranteed'],
    [{ limits: { cpu: '1' } }, 'Burstable'],
  ])('with the resources %j has the QoS class %s', (resources, qos) => {
    expect(created(pods, container({ resources })).object.status?.qosClass).toBe(qos);
  });
});

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

describe('validation of a Pod', () => {
  it.each<[string, object, string]>([
    [
      'a secret without a name',
      container({ env: [{ name: 'E', valueFrom: { secretKeyRef: { name: '', key: 'k' } } }] }),
      `spec.containers[0].env[0].valueFrom.secretKeyRef.name: Invalid value: "": ${SUBDOMAIN}`,
    ],
    [
      'a header without a name',
      container({ livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name: '', value: 'x' }] } } }),
      `spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: "": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')`,
    ],
    [
      'a runtime class with an invalid name',
      pod({ runtimeClassName: '' }),
      `spec.runtimeClassName: Invalid value: "": ${SUBDOMAIN}`,
    ],
    ['a pod without containers', pod({ containers: [] }), 'spec.containers: Required value'],
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
      'two containers with one name',
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
      'a mount of an unknown volume',
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
      'spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type',
    ],
    [
      'a toleration with a duration and without NoExecute',
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
      'a host port that differs from the container port in the host network',
      pod({
        hostNetwork: true,
        containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 81 }] }],
      }),
      'spec.containers[0].ports[0].containerPort: Invalid value: 80: must match `hostPort` when `hostNetwork` is true',
    ],
    [
      'shared process namespaces of both the host and the pod',
      pod({ hostPID: true, shareProcessNamespace: true }),
      'spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled',
    ],
    [
      'a repeated sysctl',
      pod({ securityContext: { sysctls: [{ name: 'kernel.x' }, { name: 'kernel.x' }] } }),
      'spec.securityContext.sysctls[1].name: Duplicate value: "kernel.x"',
    ],
    [
      'a local seccomp profile without a name',
      container({ securityContext: { seccompProfile: { type: 'Localhost' } } }),
      'spec.containers[0].securityContext.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost',
    ],
    [
      'a seccomp profile without a type',
      pod({ securityContext: { seccompProfile: {} } }),
      'spec.securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set',
    ],
    [
      'fields that Windows does not support',
      pod({ os: { name: 'windows' }, hostPID: true }),
      'spec.hostPID: Forbidden: cannot be set for a windows pod',
    ],
    [
      'fields that Linux does not support',
      pod({ os: { name: 'linux' }, securityContext: { windowsOptions: {} } }),
      'spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
    ],
    [
      'an unknown operating system',
      pod({ os: { name: 'plan9' } }),
      'spec.os: Unsupported value: "plan9": supported values: "linux", "windows"',
    ],
    [
      'two equal spread constraints',
      pod({
        topologySpreadConstraints: [1, 2].map((maxSkew) => ({
          maxSkew,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
        })),
      }),
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"',
    ],
    [
      'an unsupported node field',
      pod({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'spec.x', operator: 'In', values: ['a'] }] }],
            },
          },
        },
      }),
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "spec.x": not a valid field selector key',
    ],
    [
      'a host alias that is not an address',
      pod({ hostAliases: [{ ip: 'x' }] }),
      'spec.hostAliases.ip: Invalid value: "x": must be valid IP address',
    ],
    [
      'seven search paths',
      pod({ dnsConfig: { searches: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] } }),
      'spec.dnsConfig.searches: Invalid value: []string{"a", "b", "c", "d", "e", "f", "g"}: must not have more than 6 search paths',
    ],
    [
      'a probe of an init container',
      pod({
        initContainers: [{ name: 'i', image: 'i', lifecycle: { preStop: { exec: { command: ['x'] } } } }],
      }),
      'spec.initContainers[0].lifecycle: Invalid value: core.Lifecycle{PostStart:(*core.LifecycleHandler)(nil), PreStop:(*core.LifecycleHandler)(0xc000000000)}: must not be set for init containers',
    ],
    [
      'bidirectional mounts in an unprivileged container',
      pod({
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [
          {
            name: 'c',
            image: 'i',
            volumeMounts: [{ name: 'v', mountPath: '/v', mountPropagation: 'Bidirectional' }],
          },
        ],
      }),
      'spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
    ],
    [
      'an empty directory with a negative size',
      pod({ volumes: [{ name: 'v', emptyDir: { sizeLimit: '-1' } }] }),
      'spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity',
    ],
    [
      'an ephemeral volume without a template',
      pod({ volumes: [{ name: 'v', ephemeral: {} }] }),
      'spec.volumes[0].ephemeral.volumeClaimTemplate: Required value',
    ],
    [
      'huge pages without CPU or memory',
      container({ resources: { limits: { 'hugepages-2Mi': '4Mi' } } }),
      'spec.containers[0].resources: Forbidden: HugePages require cpu or memory',
    ],
    [
      'an amount that is not a multiple of the huge page size',
      container({ resources: { limits: { cpu: '1', 'hugepages-2Mi': '3Mi' } } }),
      'spec.containers[0].resources.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
    ],
    [
      'a divisor of 100 CPUs',
      container({
        env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '100' } } }],
      }),
      'spec.containers[0].env[0].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are supported with the cpu resource',
    ],
    [
      'an image with spaces around it',
      pod({ containers: [{ name: 'c', image: ' i ' }] }),
      'spec.containers[0].image: Invalid value: " i ": must not have leading or trailing whitespace',
    ],
    [
      'a negative user ID',
      container({ securityContext: { runAsUser: -1 } }),
      'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
  ])('rejects %s', (_what, body, error) => {
    expect(errorsOf(body)).toContain(error);
  });
});
