import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  duplicateField,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { Container, SeccompProfile } from '../../types/core-v1-container.ts';
import type { PodSpec } from '../../types/core-v1-pod.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { within } from '../numbers.ts';
import { validateWindowsOptions } from './windows.ts';
import { validateDescendingPath } from '../volume/sources.ts';
import type { Int64 } from '../../schema/exact-json.ts';
import { repeats } from '../repeats.ts';

type Spec = DeepReadonly<PodSpec>;

const MAX_ID = 2 ** 31 - 1;
const SECCOMP_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const GROUP_POLICIES = ['Always', 'OnRootMismatch'];
const SYSCTL_SEGMENT = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SYSCTL = `(${SYSCTL_SEGMENT}[\\./])*${SYSCTL_SEGMENT}`;
const SYSCTL_LIMIT = 253;
const isSysctl = new RegExp(`^${SYSCTL}$`);

/**
 * Checks the rules of `ValidatePodSecurityContext` in Kubernetes 1.24. Upstream's internal type also has the
 * shared host namespaces in the security context.
 */
export function validatePodSecurity(spec: Spec | undefined, specPath: string): FieldErrors {
  const context = spec?.securityContext ?? {};
  const path = child(specPath, 'securityContext');
  const policy: string | undefined = context.fsGroupChangePolicy;
  const errors: FieldError[] = [
    ...(spec?.hostNetwork ? validateHostPorts(spec.containers ?? [], child(specPath, 'containers')) : []),
    ...within(child(path, 'fsGroup'), context.fsGroup, 0, MAX_ID),
    ...validateIds(context, path),
    ...(context.supplementalGroups ?? []).flatMap((group, at) =>
      within(index(child(path, 'supplementalGroups'), at), group, 0, MAX_ID),
    ),
  ];
  if (spec?.hostPID && spec.shareProcessNamespace) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    errors.push(invalidField(child(path, 'shareProcessNamespace'), true, detail));
  }
  errors.push(
    ...validateSysctls(
      (context.sysctls ?? []).map(({ name }) => name ?? ''),
      child(path, 'sysctls'),
    ),
  );
  if (policy !== undefined && !GROUP_POLICIES.includes(policy)) {
    errors.push(notSupportedField(child(path, 'fsGroupChangePolicy'), policy, GROUP_POLICIES));
  }
  return [
    ...errors,
    ...validateSeccomp(context.seccompProfile, child(path, 'seccompProfile')),
    ...validateWindowsOptions(context.windowsOptions, child(path, 'windowsOptions')),
  ];
}

/** Validates that each port of a pod in the host network equals its host port. */
const validateHostPorts = (containers: readonly DeepReadonly<Container>[], path: string): FieldErrors =>
  containers.flatMap(({ ports = [] }, at) =>
    ports.flatMap(({ hostPort, containerPort }, port) =>
      hostPort === containerPort
        ? []
        : [
            invalidField(
              child(index(child(index(path, at), 'ports'), port), 'containerPort'),
              containerPort,
              'must match `hostPort` when `hostNetwork` is true',
            ),
          ],
    ),
  );

function validateSysctls(names: readonly string[], path: string): FieldErrors {
  const repeated = repeats(names);
  return names.flatMap((name, at): FieldErrors => {
    const field = child(index(path, at), 'name');
    if (name === '') return [requiredField(field)];
    if (name.length > SYSCTL_LIMIT || !isSysctl.test(name)) {
      const detail = `must have at most ${SYSCTL_LIMIT} characters and match regex ${SYSCTL}`;
      return [invalidField(field, name, detail)];
    }
    return repeated.has(at) ? [duplicateField(field, name)] : [];
  });
}

/** Validates the IDs of the user and group under which a pod or container runs. */
export const validateIds = (
  { runAsUser, runAsGroup }: { readonly runAsUser?: Int64; readonly runAsGroup?: Int64 },
  path: string,
): FieldErrors => [
  ...within(child(path, 'runAsUser'), runAsUser, 0, MAX_ID),
  ...within(child(path, 'runAsGroup'), runAsGroup, 0, MAX_ID),
];

/** Validates the seccomp profile of a container or pod. */
export function validateSeccomp(
  profile: DeepReadonly<SeccompProfile> | undefined,
  path: string,
): FieldErrors {
  if (profile === undefined) return [];
  const type: string = profile.type ?? '';
  const { localhostProfile } = profile;
  const field = child(path, 'localhostProfile');
  const errors: FieldError[] = [];
  if (type === '')
    errors.push(requiredField(child(path, 'type'), 'type is required when seccompProfile is set'));
  else if (!SECCOMP_TYPES.includes(type)) {
    errors.push(notSupportedField(child(path, 'type'), type, SECCOMP_TYPES));
  }
  if (type !== 'Localhost') {
    if (localhostProfile === undefined) return errors;
    const detail = 'can only be set when seccomp type is Localhost';
    return [...errors, invalidTyped(field, 'core.SeccompProfile', profile, detail)];
  }
  return localhostProfile === undefined
    ? [...errors, requiredField(field, 'must be set when seccomp type is Localhost')]
    : [...errors, ...validateDescendingPath(localhostProfile, field)];
}
