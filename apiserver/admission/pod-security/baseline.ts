import {
  type Check,
  type CheckSeries,
  type Subject,
  containersOf,
  containersText,
  namesWhere,
  plural,
  quoted,
  settersText,
  sorted,
} from './check.ts';
import { seccompSetters } from './seccomp.ts';

const APP_ARMOR = 'container.apparmor.security.beta';

const appArmorProfile: Check = ({ annotations }, vocabulary) => {
  const prefix = vocabulary.key(APP_ARMOR, '');
  const forbidden = Object.entries(annotations)
    .filter(([key]) => key.startsWith(prefix))
    .filter(([, value]) => value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/'))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  if (forbidden.length === 0) return undefined;
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', forbidden.length),
    detail: sorted(forbidden).join(', '),
  };
};

const DEFAULT_CAPABILITIES = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/**
 * Returns the violation of containers that add forbidden capabilities. Returns undefined if no container
 * does.
 */
export function addedCapabilities(subject: Subject, allowed: ReadonlySet<string>) {
  const forbidden = containersOf(subject).map(({ name, securityContext }) => ({
    name,
    added: (securityContext?.capabilities?.add ?? []).filter((each) => !allowed.has(each)),
  }));
  const names = forbidden.filter(({ added }) => added.length > 0).map(({ name }) => name);
  if (names.length === 0) return undefined;
  const capabilities = quoted(sorted(forbidden.flatMap(({ added }) => added)));
  return `${containersText(names)} must not include ${capabilities} in securityContext.capabilities.add`;
}

const capabilities: Check = (subject) => {
  const detail = addedCapabilities(subject, DEFAULT_CAPABILITIES);
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
};

const hostNamespaces: Check = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name]);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((name) => `${name}=true`).join(', ') };
};

const hostPathVolumes: Check = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return {
    reason: 'hostPath volumes',
    detail: `${plural('volume', 'volumes', names.length)} ${quoted(names)}`,
  };
};

const hostPorts: Check = (subject) => {
  const used = containersOf(subject).map(({ name, ports }) => ({
    name,
    ports: (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : [])),
  }));
  const names = used.filter(({ ports }) => ports.length > 0).map(({ name }) => name);
  if (names.length === 0) return undefined;
  const ports = sorted(used.flatMap((each) => each.ports));
  return {
    reason: 'hostPort',
    detail: `${containersText(names)} ${plural('uses', 'use', names.length)} ${plural('hostPort', 'hostPorts', ports.length)} ${ports.join(', ')}`,
  };
};

const privileged: Check = (subject) => {
  const names = namesWhere(subject, ({ securityContext }) => securityContext?.privileged === true);
  if (names.length === 0) return undefined;
  return {
    reason: 'privileged',
    detail: `${containersText(names)} must not set securityContext.privileged=true`,
  };
};

const procMount: Check = (subject) => {
  const mounts = containersOf(subject).flatMap(({ name, securityContext }) => {
    const type = securityContext?.procMount;
    return type === undefined || type === 'Default' ? [] : [{ name, type }];
  });
  if (mounts.length === 0) return undefined;
  const types = quoted(sorted(mounts.map(({ type }) => type)));
  return {
    reason: 'procMount',
    detail: `${containersText(mounts.map(({ name }) => name))} must not set securityContext.procMount to ${types}`,
  };
};

const SELINUX_TYPES = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t']);

interface SelinuxOptions {
  readonly type?: string;
  readonly user?: string;
  readonly role?: string;
}

const isForbiddenSelinux = (options: SelinuxOptions | undefined): options is SelinuxOptions =>
  options !== undefined &&
  (!SELINUX_TYPES.has(options.type ?? '') || Boolean(options.user) || Boolean(options.role));

const seLinuxOptions: Check = (subject) => {
  const ofPod = subject.spec.securityContext?.seLinuxOptions;
  const bad = containersOf(subject).flatMap(({ name, securityContext }) =>
    isForbiddenSelinux(securityContext?.seLinuxOptions)
      ? [{ name, options: securityContext.seLinuxOptions }]
      : [],
  );
  const all = [...(isForbiddenSelinux(ofPod) ? [ofPod] : []), ...bad.map(({ options }) => options)];
  const setters = settersText(
    isForbiddenSelinux(ofPod),
    bad.map(({ name }) => name),
  );
  if (setters === undefined) return undefined;
  const types = sorted(all.map(({ type = '' }) => type).filter((type) => !SELINUX_TYPES.has(type)));
  const data = [
    ...(types.length > 0 ? [`${plural('type', 'types', types.length)} ${quoted(types)}`] : []),
    ...(all.some(({ user }) => user) ? ['user may not be set'] : []),
    ...(all.some(({ role }) => role) ? ['role may not be set'] : []),
  ];
  return {
    reason: 'seLinuxOptions',
    detail: `${setters} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`,
  };
};

const isAllowedSeccompText = (text: string): boolean =>
  text === 'runtime/default' || text === 'docker/default' || text.startsWith('localhost/');

/** Checks the seccomp annotations that were used before the fields existed. */
const seccompAnnotations: Check = (subject, vocabulary) => {
  const keys = [
    vocabulary.key('seccomp.security.alpha', 'pod'),
    ...containersOf(subject).map(({ name }) => vocabulary.key('container.seccomp.security.alpha', name)),
  ];
  const forbidden = sorted(
    keys.flatMap((key) => {
      const text = Object.hasOwn(subject.annotations, key) ? subject.annotations[key] : undefined;
      return text === undefined || isAllowedSeccompText(text) ? [] : [`${key}=${JSON.stringify(text)}`];
    }),
  );
  if (forbidden.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `forbidden ${plural('annotation', 'annotations', forbidden.length)} ${forbidden.join(', ')}`,
  };
};

const seccompFields: Check = (subject) => {
  const detail = seccompSetters(subject);
  return detail === undefined ? undefined : { reason: 'seccompProfile', detail };
};

const SAFE_SYSCTLS = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
]);

const sysctls: Check = ({ spec }) => {
  const names = (spec.securityContext?.sysctls ?? [])
    .map(({ name }) => name)
    .filter((name) => !SAFE_SYSCTLS.has(name));
  return names.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: names.join(', ') };
};

const windowsHostProcess: Check = (subject) => {
  const setters = settersText(
    subject.spec.securityContext?.windowsOptions?.hostProcess === true,
    namesWhere(subject, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true),
  );
  if (setters === undefined) return undefined;
  return {
    reason: 'hostProcess',
    detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};

const always = (id: string, check: Check): CheckSeries => ({ id, versions: [{ since: 0, check }] });

/**
 * Checks of the level `baseline`
 * (https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline). They are sorted by ID, as
 * in upstream; messages list violations in this order.
 */
export const BASELINE_CHECKS: readonly CheckSeries[] = [
  always('appArmorProfile', appArmorProfile),
  always('capabilities_baseline', capabilities),
  always('hostNamespaces', hostNamespaces),
  always('hostPathVolumes', hostPathVolumes),
  always('hostPorts', hostPorts),
  always('privileged', privileged),
  always('procMount', procMount),
  always('seLinuxOptions', seLinuxOptions),
  {
    id: 'seccompProfile_baseline',
    versions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompFields },
    ],
  },
  always('sysctls', sysctls),
  always('windowsHostProcess', windowsHostProcess),
];
