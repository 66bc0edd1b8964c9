import { describe, expect, it } from 'vitest';
import type { DeepReadonly } from '../../../api/kinds/kind.ts';
import type { Container } from '../../../api/types/core-v1-container.ts';
import type { Pod, PodSpec } from '../../../api/types/core-v1-pod.ts';
import type { PodSecurityPolicySpec } from '../../../api/types/policy-v1beta1.ts';
import { kubernetesVocabulary as v } from '../../../api/vocabulary/vocabulary.ts';
import { readPolicy } from './policy.ts';
import { ANYTHING } from './policy.fixture.ts';

type Spec = Partial<PodSecurityPolicySpec>;
type Context = NonNullable<Container['securityContext']>;

const read = (spec: Spec, annotations: Record<string, string> = {}) =>
  readPolicy({ metadata: { name: 'p', annotations }, spec: { ...ANYTHING, ...spec } }, v);

const pod = (
  spec: Partial<PodSpec> = {},
  container: Partial<Container> = {},
  annotations?: Record<string, string>,
): Pod => ({
  metadata: { name: 'web', ...(annotations && { annotations }) },
  spec: { containers: [{ name: 'c', ...container }], ...spec },
});
const withContext = (securityContext: Context): Pod => pod({}, { securityContext });

/** Returns the violations of a pod in its current state. */
const violations = (spec: Spec, of: Pod, annotations?: Record<string, string>): readonly string[] =>
  read(spec, annotations)
    .validate(of as DeepReadonly<Pod>)
    .map(({ field, message }) => `${field}: ${message}`);
/** Returns the pod with the policy's defaults. */
function withDefaults(spec: Spec, of: Pod, annotations?: Record<string, string>): Pod {
  const copy = structuredClone(of);
  read(spec, annotations).mutate(copy);
  return copy;
}

const C = 'spec.containers[0].securityContext';
const RANGES = { ranges: [{ min: 5, max: 9 }] };
const SECCOMP = 'seccomp.security.alpha.kubernetes.io';
const APPARMOR = 'apparmor.security.beta.kubernetes.io';

describe('policy that allows everything', () => {
  it('changes no pod', () => {
    const given = pod({ hostNetwork: true }, { securityContext: { privileged: true } });
    expect(withDefaults({}, given)).toEqual(given);
    expect(violations({}, given)).toEqual([]);
  });
});

describe('restrictive policy', () => {
  it.each<[string, Spec, Pod, string]>([
    [
      'privileged containers',
      { privileged: false },
      withContext({ privileged: true }),
      `${C}.privileged: Invalid value: true: Privileged containers are not allowed`,
    ],
    [
      'the host network',
      { hostNetwork: false },
      pod({ hostNetwork: true }),
      'spec.securityContext.hostNetwork: Invalid value: true: Host network is not allowed to be used',
    ],
    [
      'host processes',
      { hostPID: false },
      pod({ hostPID: true }),
      'spec.securityContext.hostPID: Invalid value: true: Host PID is not allowed to be used',
    ],
    [
      'host IPC',
      { hostIPC: false },
      pod({ hostIPC: true }),
      'spec.securityContext.hostIPC: Invalid value: true: Host IPC is not allowed to be used',
    ],
    [
      'host ports',
      {
        hostPorts: [
          { min: 80, max: 80 },
          { min: 90, max: 99 },
        ],
      },
      pod({}, { ports: [{ containerPort: 1, hostPort: 89 }] }),
      'spec.containers[0].hostPort: Invalid value: 89: Host port 89 is not allowed to be used. Allowed ports: [80,90-99]',
    ],
    [
      'capabilities',
      { allowedCapabilities: ['NET_RAW'] },
      withContext({ capabilities: { add: ['NET_RAW', 'SYS_TIME'] } }),
      `${C}.capabilities.add: Invalid value: "SYS_TIME": capability may not be added`,
    ],
    [
      'required drops that are missing',
      { allowedCapabilities: [], requiredDropCapabilities: ['ALL'] },
      withContext({ capabilities: { drop: ['KILL'] } }),
      `${C}.capabilities.drop: Invalid value: []core.Capability{"KILL"}: ALL is required to be dropped but was not found`,
    ],
    [
      'containers without capabilities',
      { allowedCapabilities: [], requiredDropCapabilities: ['ALL'] },
      pod(),
      `${C}.capabilities: Invalid value: "null": required capabilities are not set on the securityContext`,
    ],
    [
      'users out of range',
      { runAsUser: { rule: 'MustRunAs', ...RANGES } },
      withContext({ runAsUser: 10 }),
      `${C}.runAsUser: Invalid value: 10: must be in the ranges: [{5 9}]`,
    ],
    [
      'a missing user',
      { runAsUser: { rule: 'MustRunAs', ...RANGES } },
      pod(),
      `${C}.runAsUser: Required value`,
    ],
    [
      'containers that may run as root',
      { runAsUser: { rule: 'MustRunAsNonRoot' } },
      pod(),
      `${C}.runAsNonRoot: Required value: must be true`,
    ],
    [
      'containers that run as root',
      { runAsUser: { rule: 'MustRunAsNonRoot' } },
      withContext({ runAsNonRoot: false }),
      `${C}.runAsNonRoot: Invalid value: false: must be true`,
    ],
    [
      'user 0',
      { runAsUser: { rule: 'MustRunAsNonRoot' } },
      pod({ securityContext: { runAsUser: 0 } }),
      `${C}.runAsUser: Invalid value: 0: running with the root UID is forbidden`,
    ],
    [
      'primary groups out of range',
      { runAsGroup: { rule: 'MayRunAs', ...RANGES } },
      withContext({ runAsGroup: 1 }),
      `${C}.runAsGroup: Invalid value: []int64{1}: group 1 must be in the ranges: [{5 9}]`,
    ],
    [
      'volume groups out of range',
      { fsGroup: { rule: 'MustRunAs', ...RANGES } },
      pod({ securityContext: { fsGroup: 1 } }),
      'spec.securityContext.fsGroup: Invalid value: []int64{1}: group 1 must be in the ranges: [{5 9}]',
    ],
    [
      'a missing required group',
      { supplementalGroups: { rule: 'MustRunAs', ...RANGES } },
      pod(),
      'spec.securityContext.supplementalGroups: Invalid value: []int64{}: unable to validate empty groups against required ranges',
    ],
    [
      'privilege escalation',
      { allowPrivilegeEscalation: false },
      withContext({ allowPrivilegeEscalation: true }),
      `${C}.allowPrivilegeEscalation: Invalid value: true: Allowing privilege escalation for containers is not allowed`,
    ],
    [
      'a writable root',
      { readOnlyRootFilesystem: true },
      withContext({ readOnlyRootFilesystem: false }),
      `${C}.readOnlyRootFilesystem: Invalid value: false: ReadOnlyRootFilesystem must be set to true`,
    ],
    [
      'an unmasked proc mount',
      {},
      withContext({ procMount: 'Unmasked' }),
      `${C}.procMount: Invalid value: "Unmasked": ProcMountType is not allowed`,
    ],
    [
      'other runtime classes',
      { runtimeClass: { allowedRuntimeClassNames: ['a'] } },
      pod({ runtimeClassName: 'b' }),
      'spec.runtimeClassName: Invalid value: "b"',
    ],
    [
      'forbidden sysctls, safe ones too',
      { forbiddenSysctls: ['net.*'] },
      pod({ securityContext: { sysctls: [{ name: 'net.ipv4.tcp_syncookies', value: '1' }] } }),
      'pod.spec.securityContext.sysctls[0]: Forbidden: sysctl "net.ipv4.tcp_syncookies" is not allowed',
    ],
    [
      'unsafe sysctls',
      { allowedUnsafeSysctls: ['kernel.msg*'] },
      pod({
        securityContext: {
          sysctls: [
            { name: 'kernel.msgmax', value: '1' },
            { name: 'kernel.sem', value: '1' },
          ],
        },
      }),
      'pod.spec.securityContext.sysctls[1]: Forbidden: unsafe sysctl "kernel.sem" is not allowed',
    ],
    [
      'other SELinux labels',
      { seLinux: { rule: 'MustRunAs', seLinuxOptions: { level: 's0:c1,c2', user: 'u' } } },
      pod(
        { securityContext: { seLinuxOptions: { level: 's0:c2,c1', user: 'x' } } },
        { securityContext: { seLinuxOptions: { level: 's0:c1,c2', user: 'u' } } },
      ),
      'spec.securityContext.seLinuxOptions.user: Invalid value: "x": must be u',
    ],
    [
      'volumes of other types',
      { volumes: ['secret'] },
      pod({ volumes: [{ name: 'a', emptyDir: {} }] }),
      'spec.volumes[0]: Invalid value: "emptyDir": emptyDir volumes are not allowed to be used',
    ],
    [
      'other host paths',
      { allowedHostPaths: [{ pathPrefix: '/var' }] },
      pod({ volumes: [{ name: 'a', hostPath: { path: '/variant' } }] }),
      'spec.volumes[0].hostPath.pathPrefix: Invalid value: "/variant": is not allowed to be used',
    ],
    [
      'writable mounts of read-only host paths',
      { allowedHostPaths: [{ pathPrefix: '/var/', readOnly: true }] },
      pod(
        { volumes: [{ name: 'a', hostPath: { path: '/var/log' } }] },
        { volumeMounts: [{ name: 'a', mountPath: '/a' }] },
      ),
      'spec.containers[0].volumeMounts[0].readOnly: Invalid value: false: must be read-only',
    ],
    [
      'other flex drivers',
      { allowedFlexVolumes: [{ driver: 'a/b' }] },
      pod({ volumes: [{ name: 'a', flexVolume: { driver: 'x/y' } }] }),
      'spec.volumes[0].driver: Invalid value: "x/y": Flexvolume driver is not allowed to be used',
    ],
    [
      'other inline CSI drivers',
      { allowedCSIDrivers: [{ name: 'a' }] },
      pod({ volumes: [{ name: 'a', csi: { driver: 'x' } }] }),
      'spec.volumes[0].csi.driver: Invalid value: "x": Inline CSI driver is not allowed to be used',
    ],
  ])('rejects %s', (_what, spec, of, text) => {
    expect(violations(spec, of)).toEqual([text]);
  });

  it('rejects violations in init and ephemeral containers', () => {
    const privileged = { name: 'x', securityContext: { privileged: true } };
    const of = pod({ initContainers: [privileged], ephemeralContainers: [privileged] });
    expect(violations({ privileged: false }, of).map((text) => text.split(':')[0])).toEqual([
      'spec.initContainers[0].securityContext.privileged',
      'spec.ephemeralContainers[0].securityContext.privileged',
    ]);
  });
});

describe('policy that allows Secret volumes', () => {
  const projected = (sources: readonly object[]): Pod =>
    pod({ volumes: [{ name: 'a', projected: { sources: sources as [] } }] });
  const downwardAPI = {
    items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
  };
  it('allows the token volume of service accounts, which replaced Secret volumes', () => {
    const sources = [
      { serviceAccountToken: { path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt' } },
      { downwardAPI },
    ];
    expect(violations({ volumes: ['secret'] }, projected(sources))).toEqual([]);
  });
  it.each([
    [{ serviceAccountToken: { path: 'token', audience: 'vault' } }],
    [{ configMap: { name: 'other' } }],
    [{ secret: { name: 's' } }],
  ])('allows no other projection: %j', (source) => {
    expect(violations({ volumes: ['secret'] }, projected([source]))).toHaveLength(1);
  });
});

describe('defaults of a policy', () => {
  const context = (spec: Spec, of: Pod) => withDefaults(spec, of).spec?.containers?.[0]?.securityContext;

  it('set the start of the first range on a pod without users and groups', () => {
    const rule = { rule: 'MustRunAs' as const, ...RANGES };
    const given = withDefaults(
      { runAsUser: rule, runAsGroup: rule, fsGroup: rule, supplementalGroups: rule },
      pod(),
    );
    expect(given.spec?.securityContext).toEqual({ fsGroup: 5, supplementalGroups: [5] });
    expect(given.spec?.containers?.[0]?.securityContext).toEqual({ runAsUser: 5, runAsGroup: 5 });
  });
  it('set no user on a container that inherits it from the pod', () => {
    const rule = { rule: 'MustRunAs' as const, ...RANGES };
    expect(context({ runAsUser: rule }, pod({ securityContext: { runAsUser: 7 } }))).toBeUndefined();
  });
  it('set runAsNonRoot on a container without a user', () => {
    const rule: Spec = { runAsUser: { rule: 'MustRunAsNonRoot' } };
    expect(context(rule, pod())).toEqual({ runAsNonRoot: true });
    expect(context(rule, withContext({ runAsUser: 3 }))).toEqual({ runAsUser: 3 });
  });
  it('add and drop capabilities in sorted order, except those that the container drops', () => {
    const spec = { defaultAddCapabilities: ['B', 'D'], requiredDropCapabilities: ['Z'] };
    expect(context(spec, withContext({ capabilities: { add: ['A'], drop: ['D', 'X'] } }))).toEqual({
      capabilities: { add: ['A', 'B'], drop: ['D', 'X', 'Z'] },
    });
  });
  it('set a read-only root file system and forbid privilege escalation', () => {
    expect(context({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false }, pod())).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
    });
    expect(context({ defaultAllowPrivilegeEscalation: false }, pod())).toEqual({
      allowPrivilegeEscalation: false,
    });
  });
  it('set SELinux labels and a runtime class', () => {
    const given = withDefaults(
      {
        seLinux: { rule: 'MustRunAs', seLinuxOptions: { level: 's0' } },
        runtimeClass: { allowedRuntimeClassNames: ['*'], defaultRuntimeClassName: 'r' },
      },
      pod(),
    );
    expect(given.spec?.securityContext).toEqual({ seLinuxOptions: { level: 's0' } });
    expect(given.spec?.runtimeClassName).toBe('r');
  });
  it('set security profiles by annotation', () => {
    const annotations = {
      [`${SECCOMP}/defaultProfileName`]: 'runtime/default',
      [`${APPARMOR}/defaultProfileName`]: 'localhost/a',
    };
    expect(withDefaults({}, pod(), annotations).metadata?.annotations).toEqual({
      [`${SECCOMP}/pod`]: 'runtime/default',
      [`container.${APPARMOR}/c`]: 'localhost/a',
    });
    const own = pod({}, {}, { [`${SECCOMP}/pod`]: 'x', [`container.${APPARMOR}/c`]: 'y' });
    expect(withDefaults({}, own, annotations)).toEqual(own);
  });
});

describe('security profiles of a policy', () => {
  const key = `pod.metadata.annotations[${SECCOMP}/pod]`;
  const containerKey = `pod.metadata.annotations[container.${SECCOMP}/c]`;
  it('forbid every seccomp profile unless the policy lists some', () => {
    expect(violations({}, pod({}, {}, { [`${SECCOMP}/pod`]: 'unconfined' }))).toEqual([
      `${key}: Forbidden: seccomp may not be set`,
      `${containerKey}: Forbidden: seccomp may not be set`,
    ]);
    const any = { [`${SECCOMP}/allowedProfileNames`]: '*' };
    expect(violations({}, pod({}, {}, { [`${SECCOMP}/pod`]: 'unconfined' }), any)).toEqual([]);
  });
  it('apply to seccomp profiles in fields', () => {
    const allowed = { [`${SECCOMP}/allowedProfileNames`]: 'docker/default,localhost/a' };
    const by = (type: 'RuntimeDefault' | 'Unconfined' | 'Localhost', localhostProfile?: string): Pod =>
      pod({ securityContext: { seccompProfile: { type, ...(localhostProfile && { localhostProfile }) } } });
    expect(violations({}, by('RuntimeDefault'), allowed)).toEqual([]);
    expect(violations({}, by('Localhost', 'a'), allowed)).toEqual([]);
    expect(violations({}, by('Unconfined'), allowed)[0]).toBe(
      `${key}: Forbidden: unconfined is not an allowed seccomp profile. Valid values are docker/default,localhost/a`,
    );
    const own = pod(
      {},
      { securityContext: { seccompProfile: { type: 'Unconfined' } } },
      { [`${SECCOMP}/pod`]: 'localhost/a' },
    );
    expect(violations({}, own, allowed)).toHaveLength(1);
  });
  it('require an AppArmor profile if the policy lists some', () => {
    const allowed = { [`${APPARMOR}/allowedProfileNames`]: 'runtime/default' };
    const path = `pod.metadata.annotations[container.${APPARMOR}/c]`;
    expect(violations({}, pod(), allowed)).toEqual([`${path}: Forbidden: AppArmor profile must be set`]);
    const as = (profile: string): Pod => pod({}, {}, { [`container.${APPARMOR}/c`]: profile });
    expect(violations({}, as('runtime/default'), allowed)).toEqual([]);
    expect(violations({}, as('unconfined'), allowed)).toEqual([
      `${path}: Forbidden: unconfined is not an allowed profile. Allowed values: "runtime/default"`,
    ]);
  });
});

it.each<[Spec, string]>([
  [{ runAsUser: { rule: 'MustRunAs' } }, 'MustRunAs requires at least one range'],
  [{ fsGroup: { rule: 'MayRunAs' } }, 'ranges must be supplied for MayRunAs'],
  [{ seLinux: { rule: 'MustRunAs' } }, 'MustRunAs requires SELinuxOptions'],
  [{ fsGroup: {} }, 'Unrecognized FSGroup strategy type '],
])('a policy with %j is rejected', (spec, message) => {
  expect(() => read(spec)).toThrow(message);
});
