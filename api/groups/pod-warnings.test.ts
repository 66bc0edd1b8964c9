import { describe, expect, it } from 'vitest';
import type { Kind } from '../kinds/kind.ts';
import type { PodTemplateSpec } from '../types/core-v1-pod.ts';
import { kubernetesVocabulary, orchVocabulary } from '../vocabulary/vocabulary.ts';
import { daemonSets, deployments, replicaSets, statefulSets } from './apps-v1.ts';
import { cronJobs, jobs } from './batch-v1.ts';
import { podTemplates, replicationControllers } from './core-v1-workload.ts';
import { pods } from './core-v1.ts';
import { context } from './fixture.ts';
import { podWarnings } from './pod-warnings.ts';

const SECCOMP = 'deprecated since v1.19, non-functional in v1.25+; use the "seccompProfile" field instead';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const warned = (template: object): readonly string[] =>
  podWarnings(template as PodTemplateSpec, kubernetesVocabulary);
const container = (fields: object): object => ({ containers: [{ name: 'c', ...fields }] });
const volume = (source: string): object => ({ ...container({}), volumes: [{ name: 'v', [source]: {} }] });
const fractional = (path: string, amount: string): string =>
  `${path}: fractional byte value "${amount}" is invalid, must be an integer`;

describe('a new Pod', () => {
  it('causes no warnings if it has no deprecated fields', () => {
    const metadata = { annotations: { note: 'x' } };
    const spec = {
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      hostAliases: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }],
      imagePullSecrets: [{ name: 'a' }],
      volumes: [{ name: 'v', emptyDir: {} }],
      ...container({
        env: [{ name: 'A' }, { name: 'B' }],
        resources: { limits: { memory: '64Mi', cpu: '1m' } },
      }),
    };
    expect(warned({ metadata, spec })).toEqual([]);
  });

  it.each<[string, object, ...string[]]>([
    [
      'selects nodes by a deprecated label',
      { nodeSelector: { 'beta.kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/instance-type': 'big' } },
      'spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead',
      'spec.nodeSelector[beta.kubernetes.io/instance-type]: deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    ],
    [
      'requires nodes with a deprecated label',
      {
        affinity: {
          nodeAffinity: {
            [REQUIRED]: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'x' }, { key: 'failure-domain.beta.kubernetes.io/zone' }] },
              ],
            },
          },
        },
      },
      `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[0].matchExpressions[1].key: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead`,
    ],
    [
      'prefers nodes with a deprecated label',
      {
        affinity: {
          nodeAffinity: {
            [PREFERRED]: [{ preference: { matchExpressions: [{ key: 'beta.kubernetes.io/os' }] } }],
          },
        },
      },
      `spec.affinity.nodeAffinity.${PREFERRED}[0].preference.matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead`,
    ],
    [
      'spreads by a deprecated label',
      { topologySpreadConstraints: [{ topologyKey: 'failure-domain.beta.kubernetes.io/region' }] },
      'spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/region is deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    ],
    [
      'has a volume of a removed type',
      volume('photonPersistentDisk'),
      'spec.volumes[0].photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
    ],
    ['has a Git repository volume', volume('gitRepo'), 'spec.volumes[0].gitRepo: deprecated in v1.11'],
    [
      'has a ScaleIO volume',
      volume('scaleIO'),
      'spec.volumes[0].scaleIO: deprecated in v1.16, non-functional in v1.22+',
    ],
    [
      'has a Flocker volume',
      volume('flocker'),
      'spec.volumes[0].flocker: deprecated in v1.22, support removal is planned in v1.26',
    ],
    [
      'has a StorageOS volume',
      volume('storageos'),
      'spec.volumes[0].storageOS: deprecated in v1.22, support removal is planned in v1.26',
    ],
    [
      'has a Quobyte volume',
      volume('quobyte'),
      'spec.volumes[0].quobyte: deprecated in v1.22, support removal is planned in v1.26',
    ],
    [
      'has a repeated host alias',
      { hostAliases: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }, { ip: '1.1.1.1' }] },
      'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"',
      'spec.hostAliases[2].ip: duplicate ip "1.1.1.1"',
    ],
    [
      'has a repeated pull secret',
      { imagePullSecrets: [{ name: 'a' }, { name: 'a' }] },
      'spec.imagePullSecrets[1].name: duplicate name "a"',
    ],
    [
      'has a pull secret without a name',
      { imagePullSecrets: [{}] },
      'spec.imagePullSecrets[0].name: invalid empty name ""',
    ],
    [
      'has a repeated environment variable',
      {
        initContainers: [{ name: 'i', env: [{ name: 'A' }, { name: 'A' }] }],
        ...container({ env: [{ name: 'B' }, { name: 'C' }, { name: 'B' }] }),
      },
      'spec.initContainers[0].env[1].name: duplicate name "A"',
      'spec.containers[0].env[2].name: duplicate name "B"',
    ],
    [
      'requests a fraction of a byte',
      {
        overhead: { memory: '4m', 'ephemeral-storage': '4m', cpu: '4m' },
        ...container({
          resources: { limits: { memory: '1500m' }, requests: { memory: '2k', 'ephemeral-storage': '100u' } },
        }),
      },
      fractional('spec.overhead[memory]', '4m'),
      fractional('spec.overhead[ephemeral-storage]', '4m'),
      fractional('spec.containers[0].resources.limits[memory]', '1500m'),
      fractional('spec.containers[0].resources.requests[ephemeral-storage]', '100u'),
    ],
  ])('causes a warning if it %s', (_name, spec, ...texts) => {
    expect(warned({ spec })).toEqual(texts);
  });

  const annotations = {
    'scheduler.alpha.kubernetes.io/critical-pod': '',
    'security.alpha.kubernetes.io/sysctls': 'a=b',
    'security.alpha.kubernetes.io/unsafe-sysctls': 'a=b',
    'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default',
    'container.seccomp.security.alpha.kubernetes.io/c': 'runtime/default',
    'container.seccomp.security.alpha.kubernetes.io/other': 'runtime/default',
  };
  const ofNoUse = [
    'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
    'metadata.annotations[security.alpha.kubernetes.io/sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
    'metadata.annotations[security.alpha.kubernetes.io/unsafe-sysctls]: non-functional in v1.11+; use the "sysctls" field instead',
  ];

  it('causes warnings about annotations that fields have replaced', () => {
    expect(warned({ metadata: { annotations }, spec: container({}) })).toEqual([
      ...ofNoUse,
      `metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: ${SECCOMP}`,
      `metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: ${SECCOMP}`,
    ]);
  });

  it('causes no warning about the annotation of a profile whose field is set', () => {
    const securityContext = { seccompProfile: { type: 'RuntimeDefault' } };
    const spec = { securityContext, ...container({ securityContext }) };
    expect(warned({ metadata: { annotations }, spec })).toEqual(ofNoUse);
  });

  it('causes warnings that contain the names of its vocabulary', () => {
    const spec = { nodeSelector: { 'beta.orch.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' } };
    expect(podWarnings({ spec } as never, orchVocabulary)).toEqual([
      'spec.nodeSelector[beta.orch.io/os]: deprecated since v1.14; use "orch.io/os" instead',
    ]);
  });
});

describe('the warnings of a kind', () => {
  const template = { spec: { nodeSelector: { 'beta.orch.io/os': 'linux' }, containers: [] } };
  const text = (path: string): string =>
    `${path}spec.nodeSelector[beta.orch.io/os]: deprecated since v1.14; use "orch.io/os" instead`;
  /** Returns the warnings of a kind; `body` must be an object of that kind. */
  const warn = (kind: Kind<never>, body: object, previous?: object) =>
    kind.strategy.warnings?.(body as never, previous as never, context);
  const at = (generation: number) => ({ name: 'x', generation });

  it.each([
    [deployments, { spec: { template } }, 'spec.template.'],
    [daemonSets, { spec: { template } }, 'spec.template.'],
    [replicaSets, { spec: { template } }, 'spec.template.'],
    [statefulSets, { spec: { template } }, 'spec.template.'],
    [replicationControllers, { spec: { template } }, 'spec.template.'],
    [jobs, { spec: { template } }, 'spec.template.'],
    [cronJobs, { spec: { jobTemplate: { spec: { template } } } }, 'spec.jobTemplate.spec.template.'],
  ] as readonly [Kind<never>, object, string][])(
    'mention the pods of a $kind that is new or has a changed spec',
    (kind, body, path) => {
      const [old, next] = [at(1), at(2)].map((metadata) => ({ ...body, metadata }));
      expect(warn(kind, old as object)).toEqual([text(path)]);
      expect(warn(kind, next as object, old)).toEqual([text(path)]);
      expect(warn(kind, old as object, old)).toEqual([]);
    },
  );

  it('occur for new Pods, and always for PodTemplates', () => {
    expect(warn(pods, template)).toEqual([text('')]);
    expect(warn(pods, template, template)).toEqual([]);
    expect(warn(podTemplates, { template }, { template })).toEqual([text('template.')]);
  });

  it('mention a time zone in the schedule of a CronJob', () => {
    const object = { metadata: at(1), spec: { schedule: 'CRON_TZ=UTC 0 0 * * *' } };
    expect(warn(cronJobs, object, object)).toEqual([
      'CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see https://orch.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    ]);
  });
});
