import { describe, expect, it } from 'vitest';
import type { Container } from '../../../api/types/core-v1-container.ts';
import type { PodSpec } from '../../../api/types/core-v1-pod.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { subjectOf } from './check.ts';
import { detailText, violationsOf } from './evaluation.ts';
import type { Level, Version } from './policy.ts';

type Context = NonNullable<Container['securityContext']>;

/** Security context that passes every check of every version. */
const STRICT: Context = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};
const strict = (name: string, securityContext: Context = {}, more: Partial<Container> = {}): Container => ({
  name,
  securityContext: { ...STRICT, ...securityContext },
  ...more,
});
const plain = (name: string, securityContext?: Context): Container => ({
  name,
  ...(securityContext && { securityContext }),
});
const podOf = (...containers: Container[]): PodSpec => ({ containers });

const found = (
  level: Level,
  spec: PodSpec,
  { version = 'latest', annotations = {} }: { version?: Version; annotations?: Record<string, string> } = {},
): string =>
  detailText(violationsOf({ level, version }, subjectOf({ annotations }, spec), kubernetesVocabulary));

describe('baseline level', () => {
  it('allows an ordinary pod', () => {
    expect(found('baseline', podOf(plain('a'), plain('b', { capabilities: { add: ['KILL'] } })))).toBe('');
  });

  it.each<[string, PodSpec, string]>([
    [
      'capabilities beyond the default',
      podOf(
        plain('a', { capabilities: { add: ['SYS_ADMIN', 'KILL'] } }),
        plain('b', { capabilities: { add: ['NET_RAW'] } }),
        plain('c'),
      ),
      'non-default capabilities (containers "a", "b" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      'host namespaces',
      { ...podOf(plain('a')), hostNetwork: true, hostPID: true, hostIPC: true },
      'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
    ],
    [
      'host paths',
      {
        ...podOf(plain('a')),
        volumes: [
          { name: 'v', hostPath: { path: '/' } },
          { name: 'e', emptyDir: {} },
        ],
      },
      'hostPath volumes (volume "v")',
    ],
    [
      'host ports',
      podOf(
        { name: 'a', ports: [{ containerPort: 1, hostPort: 12_345 }, { containerPort: 2 }] },
        { name: 'b', ports: [{ containerPort: 1, hostPort: 23_456 }] },
      ),
      'hostPort (containers "a", "b" use hostPorts 12345, 23456)',
    ],
    [
      'one host port',
      podOf({ name: 'a', ports: [{ containerPort: 1, hostPort: 80 }] }),
      'hostPort (container "a" uses hostPort 80)',
    ],
    [
      'privileged containers, including init and ephemeral ones',
      {
        containers: [plain('a')],
        initContainers: [plain('i', { privileged: true })],
        ephemeralContainers: [{ name: 'e', securityContext: { privileged: true } }],
      },
      'privileged (containers "i", "e" must not set securityContext.privileged=true)',
    ],
    [
      'unmasked proc mounts',
      podOf(plain('a', { procMount: 'Unmasked' }), plain('b', { procMount: 'Default' })),
      'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      'SELinux options of the pod and of containers',
      {
        ...podOf(
          plain('a', { seLinuxOptions: { user: 'u', type: 'foo' } }),
          plain('b', { seLinuxOptions: { role: 'r' } }),
        ),
        securityContext: { seLinuxOptions: { type: 'bar' } },
      },
      'seLinuxOptions (pod and containers "a", "b" set forbidden securityContext.seLinuxOptions: types "bar", "foo"; user may not be set; role may not be set)',
    ],
    [
      'an unconfined profile',
      {
        ...podOf(plain('a', { seccompProfile: { type: 'Unconfined' } })),
        securityContext: { seccompProfile: { type: 'Unconfined' } },
      },
      'seccompProfile (pod and container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'unsafe sysctls',
      {
        ...podOf(plain('a')),
        securityContext: {
          sysctls: [
            { name: 'kernel.msgmax', value: '1' },
            { name: 'net.ipv4.tcp_syncookies', value: '1' },
            { name: 'b', value: '1' },
          ],
        },
      },
      'forbidden sysctls (kernel.msgmax, b)',
    ],
    [
      'Windows host processes',
      {
        ...podOf(plain('a', { windowsOptions: { hostProcess: true } }), plain('b')),
        securityContext: { windowsOptions: { hostProcess: true } },
      },
      'hostProcess (pod and container "a" must not set securityContext.windowsOptions.hostProcess=true)',
    ],
  ])('forbids %s', (_what, spec, expected) => {
    expect(found('baseline', spec)).toBe(expected);
    expect(found('privileged', spec)).toBe('');
  });

  it('forbids AppArmor profiles that are neither the default nor profiles of the host', () => {
    const key = 'container.apparmor.security.beta.kubernetes.io/';
    const annotations = {
      [`${key}b`]: 'unconfined',
      [`${key}a`]: 'bogus',
      [`${key}c`]: 'runtime/default',
      [`${key}d`]: 'localhost/mine',
      [`${key}e`]: '',
    };
    expect(found('baseline', podOf(plain('a')), { annotations })).toBe(
      `forbidden AppArmor profiles (${key}a="bogus", ${key}b="unconfined")`,
    );
    expect(found('baseline', podOf(plain('a')), { annotations: { [`${key}b`]: 'x' } })).toBe(
      `forbidden AppArmor profile (${key}b="x")`,
    );
  });

  it('checks seccomp annotations before release 1.19, and fields since then', () => {
    const annotations = {
      'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
      'container.seccomp.security.alpha.kubernetes.io/a': 'docker/default',
      'container.seccomp.security.alpha.kubernetes.io/b': 'x',
    };
    const spec = podOf(plain('a'), plain('b'));
    expect(found('baseline', spec, { annotations, version: 18 })).toBe(
      'seccompProfile (forbidden annotations container.seccomp.security.alpha.kubernetes.io/b="x", seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    );
    expect(found('baseline', spec, { annotations, version: 19 })).toBe('');
  });
});

describe('restricted level', () => {
  it('allows a pod that drops all privileges, per container or as a whole', () => {
    expect(found('restricted', podOf(strict('a')))).toBe('');
    const { runAsNonRoot, seccompProfile, ...rest } = STRICT;
    expect(
      found('restricted', {
        ...podOf(plain('a', rest)),
        securityContext: { runAsNonRoot: runAsNonRoot === true, ...(seccompProfile && { seccompProfile }) },
      }),
    ).toBe('');
  });

  it('lists everything that an ordinary pod lacks, in order', () => {
    expect(found('restricted', podOf(plain('nginx')))).toBe(
      'allowPrivilegeEscalation != false (container "nginx" must set securityContext.allowPrivilegeEscalation=false), ' +
        'unrestricted capabilities (container "nginx" must set securityContext.capabilities.drop=["ALL"]), ' +
        'runAsNonRoot != true (pod or container "nginx" must set securityContext.runAsNonRoot=true), ' +
        'seccompProfile (pod or container "nginx" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
  });

  it.each<[string, PodSpec, string]>([
    [
      'added capabilities',
      podOf(
        strict('a', { capabilities: { add: ['KILL', 'NET_BIND_SERVICE'], drop: ['ALL'] } }),
        strict('b', { capabilities: {} }),
      ),
      'unrestricted capabilities (container "b" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "KILL" in securityContext.capabilities.add)',
    ],
    [
      'volumes of other types',
      {
        ...podOf(strict('a')),
        volumes: [
          { name: 'x', hostPath: { path: '/' } },
          { name: 'y', nfs: { server: 's', path: '/' } },
          { name: 'z', emptyDir: {} },
          { name: 'u' },
        ],
      },
      'restricted volume types (volumes "x", "y", "u" use restricted volume types "hostPath", "nfs", "unknown")',
    ],
    [
      'one volume of another type, without the baseline violation',
      { ...podOf(strict('a')), volumes: [{ name: 'v', hostPath: { path: '/' } }] },
      'restricted volume types (volume "v" uses restricted volume type "hostPath")',
    ],
    [
      'runAsNonRoot set to false',
      {
        ...podOf(strict('a', { runAsNonRoot: false }), strict('b')),
        securityContext: { runAsNonRoot: false },
      },
      'runAsNonRoot != true (pod and container "a" must not set securityContext.runAsNonRoot=false)',
    ],
    [
      'user 0',
      {
        ...podOf(strict('a', { runAsUser: 0 }), strict('b', { runAsUser: 5 })),
        securityContext: { runAsUser: 0 },
      },
      'runAsUser=0 (pod and container "a" must not set runAsUser=0)',
    ],
    [
      'an unconfined profile, reported once',
      podOf(strict('a', { seccompProfile: { type: 'Unconfined' } })),
      'seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      'baseline violations, listed first',
      podOf(strict('a', { privileged: true, allowPrivilegeEscalation: true })),
      'privileged (container "a" must not set securityContext.privileged=true), allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
    ],
  ])('forbids %s', (_what, spec, expected) => {
    expect(found('restricted', spec)).toBe(expected);
  });

  it.each<[Version, string]>([
    [0, 'runAsNonRoot'],
    [8, 'allowPrivilegeEscalation, runAsNonRoot'],
    [19, 'allowPrivilegeEscalation, runAsNonRoot, seccompProfile'],
    [22, 'allowPrivilegeEscalation, unrestricted capabilities, runAsNonRoot, seccompProfile'],
    [23, 'allowPrivilegeEscalation, unrestricted capabilities, runAsNonRoot, runAsUser, seccompProfile'],
    [99, 'allowPrivilegeEscalation, unrestricted capabilities, runAsNonRoot, runAsUser, seccompProfile'],
  ])('has in release 1.%s the checks %s', (version, expected) => {
    const spec = podOf(plain('a', { runAsUser: 0 }));
    const reasons = violationsOf({ level: 'restricted', version }, subjectOf({}, spec), kubernetesVocabulary);
    expect(reasons.map(({ reason }) => reason.replace(/ ?!?=.*$/, '')).join(', ')).toBe(expected);
  });
});
