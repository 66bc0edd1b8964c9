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
import type {
  Container,
  ContainerPort,
  EnvFromSource,
  EnvVar,
  SecurityContext,
} from '../../types/core-v1-container.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { checked } from '../metadata.ts';
import { isDns1123Label, isEnvironmentName, isPortName, portMessages } from '../names.ts';
import { validateLifecycle, validateProbes } from './probes.ts';
import { ENVIRONMENT_FIELDS, validateFieldRef, validateKeyRef, validateResourceRef } from './references.ts';
import { validateIds, validateSeccomp } from './security.ts';
import { validateDevices, validateMounts } from './mounts.ts';
import type { Volumes } from './volumes.ts';
import { validateWindowsOptions } from './windows.ts';
import { validateResourceRequirements } from '../resources.ts';

type Frozen = DeepReadonly<Container>;

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const TERMINATION = "must be 'File' or 'FallbackToLogsOnError'";

/**
 * Fields that init containers cannot have, because they run to completion before the regular containers
 * start.
 */
const NOT_AT_START = [
  ['lifecycle', 'core.Lifecycle'],
  ['livenessProbe', 'core.Probe'],
  ['readinessProbe', 'core.Probe'],
  ['startupProbe', 'core.Probe'],
] as const;

/**
 * Checks the rules of `validateInitContainers` in Kubernetes 1.24. These are the rules of all containers, the
 * uniqueness of names across all containers, and the absence of some fields. Init containers run one at a
 * time, so their ports do not conflict with each other.
 */
export function validateInitContainers(
  containers: readonly Frozen[],
  regular: readonly Frozen[],
  volumes: Volumes,
  path: string,
): FieldErrors {
  const taken = new Set(regular.map(({ name = '' }) => name));
  return [
    ...validateEach(containers, volumes, path),
    // Upstream checks the host ports of each init container separately.
    ...containers.flatMap((container) => hostPortConflicts([container], path)),
    ...containers.flatMap((container, at) => {
      const each = index(path, at);
      const { name = '' } = container;
      const repeated = taken.has(name) ? [duplicateField(child(each, 'name'), name)] : [];
      if (name !== '') taken.add(name);
      const unfit = NOT_AT_START.filter(([field]) => container[field] !== undefined);
      return [
        ...repeated,
        ...unfit.map(([field, type]) =>
          invalidTyped(child(each, field), type, container[field], 'must not be set for init containers'),
        ),
      ];
    }),
  ];
}

/** Checks the rules of `validateContainers` in Kubernetes 1.24. */
export const validateContainers = (
  containers: readonly Frozen[],
  volumes: Volumes,
  path: string,
): FieldErrors => [...validateEach(containers, volumes, path), ...hostPortConflicts(containers, path)];

function validateEach(containers: readonly Frozen[], volumes: Volumes, path: string): FieldErrors {
  const taken = new Set<string>();
  return containers.flatMap((container, at) => {
    const each = index(path, at);
    return [
      ...validateContainerName(container.name ?? '', taken, child(each, 'name')),
      ...(container.image ? [] : [requiredField(child(each, 'image'))]),
      ...validateContainer(container, volumes, each),
    ];
  });
}

function validateContainerName(name: string, taken: Set<string>, field: string): FieldErrors {
  const errors: FieldError[] =
    name === '' ? [requiredField(field)] : [...checked(field, name, isDns1123Label)];
  if (taken.has(name)) errors.push(duplicateField(field, name));
  taken.add(name);
  return errors;
}

/**
 * Frozen containers that are known to be valid. Containers of stored objects are frozen and need no second
 * validation in the next write. Only mounts are checked each time, because they depend on the volumes of the
 * pod.
 */
const faultless = new WeakSet<Frozen>();

/**
 * Checks the rules that regular and init containers share. Probes and lifecycle hooks are checked separately
 * for each list of containers.
 */
function validateContainer(container: Frozen, volumes: Volumes, path: string): FieldErrors {
  const mounts = [
    ...validateMounts(container, volumes, child(path, 'volumeMounts')),
    ...validateDevices(container, volumes, child(path, 'volumeDevices')),
  ];
  if (faultless.has(container)) return mounts;
  const errors = [
    ...validateLifecycle(container.lifecycle, child(path, 'lifecycle')),
    ...validateProbes(container, path),
    ...validateTerminationPolicy(container.terminationMessagePolicy, child(path, 'terminationMessagePolicy')),
    ...validatePorts(container.ports ?? [], child(path, 'ports')),
    ...validateEnvironment(container.env ?? [], child(path, 'env')),
    ...validateEnvironmentSources(container.envFrom ?? [], child(path, 'envFrom')),
    ...mounts,
    ...validatePullPolicy(container.imagePullPolicy, child(path, 'imagePullPolicy')),
    ...validateResourceRequirements(container.resources, child(path, 'resources')),
    ...validateSecurityContext(container.securityContext, child(path, 'securityContext')),
  ];
  if (errors.length === 0 && Object.isFrozen(container)) faultless.add(container);
  return errors;
}

function validateTerminationPolicy(policy: string | undefined, field: string): FieldErrors {
  if (!policy) return [requiredField(field, TERMINATION)];
  return ['File', 'FallbackToLogsOnError'].includes(policy) ? [] : [invalidField(field, policy, TERMINATION)];
}

function validatePullPolicy(policy: string | undefined, field: string): FieldErrors {
  if (!policy) return [requiredField(field)];
  return PULL_POLICIES.includes(policy) ? [] : [notSupportedField(field, policy, PULL_POLICIES)];
}

const invalidPort = (field: string, port: number): FieldErrors =>
  portMessages(port).map((message) => invalidField(field, port, message));

function validatePorts(ports: readonly DeepReadonly<ContainerPort>[], path: string): FieldErrors {
  const names = new Set<string>();
  return ports.flatMap((port, at) => {
    const each = index(path, at);
    const { name = '', containerPort = 0, hostPort = 0, protocol } = port;
    const errors: FieldError[] = [];
    if (name !== '') {
      const complaints = checked(child(each, 'name'), name, isPortName);
      errors.push(...complaints);
      if (complaints.length === 0 && names.has(name)) errors.push(duplicateField(child(each, 'name'), name));
      names.add(name);
    }
    if (containerPort === 0) errors.push(requiredField(child(each, 'containerPort')));
    else errors.push(...invalidPort(child(each, 'containerPort'), containerPort));
    if (hostPort !== 0) errors.push(...invalidPort(child(each, 'hostPort'), hostPort));
    if (!protocol) errors.push(requiredField(child(each, 'protocol')));
    else if (!PROTOCOLS.includes(protocol)) {
      errors.push(notSupportedField(child(each, 'protocol'), protocol, PROTOCOLS));
    }
    return errors;
  });
}

function hostPortConflicts(containers: readonly Frozen[], path: string): FieldErrors {
  const taken = new Set<string>();
  return containers.flatMap(({ ports = [] }, container) =>
    ports.flatMap((port, at) => {
      if (!port.hostPort) return [];
      const text = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`;
      const field = child(index(child(index(path, container), 'ports'), at), 'hostPort');
      if (taken.has(text)) return [duplicateField(field, text)];
      taken.add(text);
      return [];
    }),
  );
}

const validateEnvironment = (variables: readonly DeepReadonly<EnvVar>[], path: string): FieldErrors =>
  variables.flatMap((variable, at) => {
    const each = index(path, at);
    const name = child(each, 'name');
    return [
      ...(variable.name ? checked(name, variable.name, isEnvironmentName) : [requiredField(name)]),
      ...validateValueFrom(variable, child(each, 'valueFrom')),
    ];
  });

function validateValueFrom({ value, valueFrom }: DeepReadonly<EnvVar>, path: string): FieldErrors {
  if (valueFrom === undefined) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  const errors: FieldError[] = [];
  if (fieldRef) errors.push(...validateFieldRef(fieldRef, ENVIRONMENT_FIELDS, child(path, 'fieldRef')));
  if (resourceFieldRef) {
    errors.push(...validateResourceRef(resourceFieldRef, false, child(path, 'resourceFieldRef')));
  }
  if (configMapKeyRef) errors.push(...validateKeyRef(configMapKeyRef, child(path, 'configMapKeyRef')));
  if (secretKeyRef) errors.push(...validateKeyRef(secretKeyRef, child(path, 'secretKeyRef')));
  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter(Boolean).length;
  const names = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
  if (count === 0) errors.push(invalidField(path, '', `must specify one of: ${names}`));
  else if (value) errors.push(invalidField(path, '', 'may not be specified when `value` is not empty'));
  else if (count > 1) {
    errors.push(invalidField(path, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

const validateEnvironmentSources = (
  sources: readonly DeepReadonly<EnvFromSource>[],
  path: string,
): FieldErrors =>
  sources.flatMap(({ prefix, configMapRef, secretRef }, at) => {
    const each = index(path, at);
    const errors: FieldError[] = prefix ? [...checked(child(each, 'prefix'), prefix, isEnvironmentName)] : [];
    for (const [key, reference] of Object.entries({ configMapRef, secretRef })) {
      if (reference && !reference.name) errors.push(requiredField(child(each, key, 'name')));
    }
    const count = [configMapRef, secretRef].filter(Boolean).length;
    if (count === 0) {
      errors.push(invalidField(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    } else if (count > 1) {
      errors.push(invalidField(path, '', 'may not have more than one field specified at a time'));
    }
    return errors;
  });

/**
 * Validates that user and group IDs are not negative, and that a privileged container may gain privileges.
 */
function validateSecurityContext(
  context: DeepReadonly<SecurityContext> | undefined,
  path: string,
): FieldErrors {
  if (context === undefined) return [];
  const errors: FieldError[] = [...validateIds(context, path)];
  const { procMount, allowPrivilegeEscalation, privileged, capabilities } = context;
  if (procMount !== undefined && !['Default', 'Unmasked'].includes(procMount)) {
    errors.push(notSupportedField(child(path, 'procMount'), procMount, ['Default', 'Unmasked']));
  }
  errors.push(...validateSeccomp(context.seccompProfile, child(path, 'seccompProfile')));
  if (allowPrivilegeEscalation === false) {
    if (privileged === true) {
      const detail = 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true';
      errors.push(invalidTyped(path, 'core.SecurityContext', context, detail));
    }
    if ((capabilities?.add ?? []).includes('CAP_SYS_ADMIN')) {
      const detail = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN';
      errors.push(invalidTyped(path, 'core.SecurityContext', context, detail));
    }
  }
  return [...errors, ...validateWindowsOptions(context.windowsOptions, child(path, 'windowsOptions'))];
}
