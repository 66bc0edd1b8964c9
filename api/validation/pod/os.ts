import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldErrors,
  child,
  forbiddenField,
  index,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { PodSpec } from '../../types/core-v1-pod.ts';

type Spec = DeepReadonly<PodSpec>;
type Fields = { readonly [field: string]: unknown } | undefined;

const SYSTEMS = ['linux', 'windows'];
/**
 * Fields that a Windows pod cannot have: in the spec, in the pod's security context, and in the security
 * contexts of containers.
 */
const NOT_ON_WINDOWS = {
  before: ['seLinuxOptions'],
  spec: ['hostPID', 'hostIPC'],
  context: ['seccompProfile', 'fsGroup', 'fsGroupChangePolicy', 'sysctls'],
  shared: ['shareProcessNamespace'],
  users: ['runAsUser', 'runAsGroup', 'supplementalGroups'],
} as const;
const NOT_IN_CONTAINERS = [
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];
const WINDOWS = 'cannot be set for a windows pod';
const LINUX = 'windows options cannot be set for a linux pod';

/**
 * Checks the rules of `validateOS` in Kubernetes 1.24 and rejects the fields that the operating system does
 * not support.
 */
export function validateOs(spec: Spec | undefined, path: string): FieldErrors {
  if (spec?.os === undefined) return [];
  const name: string = spec.os.name ?? '';
  const field = child(path, 'os');
  switch (name) {
    case '':
      return [
        requiredField(child(field, 'name'), 'cannot be empty'),
        notSupportedField(field, name, SYSTEMS),
      ];
    case 'linux':
      return eachContext(spec, path, ['windowsOptions'], ['windowsOptions'], LINUX);
    case 'windows':
      return [...validateWindows(spec, path), ...eachContext(spec, path, [], NOT_IN_CONTAINERS, WINDOWS)];
    default:
      return [notSupportedField(field, name, SYSTEMS)];
  }
}

/**
 * Validates a Windows pod in upstream's order. Upstream's internal type has the host namespaces in the
 * security context.
 */
function validateWindows(spec: Spec, path: string): FieldErrors {
  const context = child(path, 'securityContext');
  const { before, spec: own, context: inContext, shared, users } = NOT_ON_WINDOWS;
  return [
    ...forbidden(spec.securityContext, context, before, WINDOWS),
    ...forbidden(
      spec,
      path,
      own.filter((field) => spec[field]),
      WINDOWS,
    ),
    ...forbidden(spec.securityContext, context, inContext, WINDOWS),
    ...forbidden(spec, context, shared, WINDOWS),
    ...forbidden(spec.securityContext, context, users, WINDOWS),
  ];
}

function eachContext(
  spec: Spec,
  path: string,
  ofPod: readonly string[],
  ofContainers: readonly string[],
  detail: string,
): FieldErrors {
  const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
  return [
    ...forbidden(spec.securityContext, child(path, 'securityContext'), ofPod, detail),
    ...lists.flatMap((list) =>
      (spec[list] ?? []).flatMap(({ securityContext }, at) => {
        const context = child(index(child(path, list), at), 'securityContext');
        return forbidden(securityContext, context, ofContainers, detail);
      }),
    ),
  ];
}

const forbidden = (held: Fields, path: string, fields: readonly string[], detail: string): FieldErrors =>
  fields.filter((field) => isSet(held?.[field])).map((field) => forbiddenField(child(path, field), detail));

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
