import type { DeepReadonly } from '../../../api/kinds/index.ts';
import { cloneJson } from '../../../api/schema/index.ts';
import { type FieldError, type FieldErrors, child, invalidField } from '../../../api/status/index.ts';
import type { SecurityContext } from '../../../api/types/core-v1-container.ts';
import type { Pod, PodSecurityContext, PodSpec } from '../../../api/types/core-v1-pod.ts';
import type { PodSecurityPolicy, PodSecurityPolicySpec } from '../../../api/types/policy-v1beta1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { type Placed, type PodContainer, podContainers } from '../pod-containers.ts';
import { defaultCapabilities, validateCapabilities } from './capabilities.ts';
import { NOTHING } from './go-values.ts';
import { type GroupRule, type UserRule, groupRule, primaryGroupRule, userRule } from './identities.ts';
import { type ProfileRule, appArmorRule, seccompRule } from './profiles.ts';
import { type SeLinuxRule, seLinuxRule } from './selinux.ts';
import { validateSysctls } from './sysctls.ts';
import { validateVolumes } from './volumes.ts';

type Spec = DeepReadonly<PodSecurityPolicySpec>;
type SeenPod = DeepReadonly<Pod>;
type SeenContext = DeepReadonly<SecurityContext> | undefined;
type SeenPodContext = DeepReadonly<PodSecurityContext> | undefined;

/** Parsed policy. */
export interface Policy {
  readonly name: string;
  /** Sets the policy's defaults on fields that the pod leaves unset. */
  mutate(pod: Pod): void;
  /** Returns the reasons why the policy does not admit the pod in its current state. */
  validate(pod: SeenPod): FieldErrors;
}

/** Rules of a policy by field. */
interface Rules {
  readonly spec: Spec;
  readonly supplementalGroups: GroupRule;
  readonly fsGroup: GroupRule;
  readonly runAsGroup: GroupRule;
  readonly runAsUser: UserRule;
  readonly seLinux: SeLinuxRule;
  readonly profiles: readonly ProfileRule[];
  readonly rootCaConfigMap: string;
}

/** Parses a policy. Throws an error if a rule is unknown or lacks ranges. */
export function readPolicy(policy: DeepReadonly<PodSecurityPolicy>, vocabulary: Vocabulary): Policy {
  const { spec } = policy;
  if (spec === undefined) throw new Error('policy has no spec');
  const rules: Rules = {
    spec,
    supplementalGroups: groupRule(spec.supplementalGroups, 'SupplementalGroups'),
    fsGroup: groupRule(spec.fsGroup, 'FSGroup'),
    runAsGroup: primaryGroupRule(spec),
    runAsUser: userRule(spec),
    seLinux: seLinuxRule(spec),
    profiles: [seccompRule(policy, vocabulary), appArmorRule(policy, vocabulary)],
    rootCaConfigMap: vocabulary.rootCaConfigMap,
  };
  return {
    name: policy.metadata?.name ?? '',
    mutate: (pod) => mutatePod(rules, pod),
    validate: (pod) => validatePod(rules, pod),
  };
}

/** Returns the fields that are not undefined. */
function present<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function mutatePod(rules: Rules, pod: Pod): void {
  const { spec } = pod;
  if (spec === undefined) return;
  const given = spec.securityContext;
  const group = rules.supplementalGroups.generated;
  const added = present<PodSecurityContext>({
    supplementalGroups: given?.supplementalGroups ?? (group === undefined ? undefined : [group]),
    fsGroup: given?.fsGroup ?? rules.fsGroup.generated,
    seLinuxOptions: given?.seLinuxOptions ?? cloneJson(rules.seLinux.generated),
  });
  if (Object.keys(added).length > 0) spec.securityContext = { ...given, ...added };
  for (const profile of rules.profiles) profile.mutatePod(pod);
  const runtimeClass = rules.spec.runtimeClass?.defaultRuntimeClassName ?? '';
  if (runtimeClass !== '') spec.runtimeClassName ??= runtimeClass;
  for (const { container } of podContainers(spec))
    mutateContainer(rules, pod, spec.securityContext, container);
}

function mutateContainer(rules: Rules, pod: Pod, ofPod: SeenPodContext, container: PodContainer): void {
  const { spec } = rules;
  const given = container.securityContext;
  const user = given?.runAsUser ?? ofPod?.runAsUser ?? rules.runAsUser.generated;
  const isSet = (field: 'runAsUser' | 'runAsGroup' | 'runAsNonRoot' | 'seLinuxOptions'): boolean =>
    (given?.[field] ?? ofPod?.[field]) !== undefined;
  const added = present<SecurityContext>({
    runAsUser: isSet('runAsUser') ? undefined : rules.runAsUser.generated,
    runAsGroup: isSet('runAsGroup') ? undefined : rules.runAsGroup.generated,
    seLinuxOptions: isSet('seLinuxOptions') ? undefined : cloneJson(rules.seLinux.generated),
    runAsNonRoot:
      rules.runAsUser.marksNonRoot && user === undefined && !isSet('runAsNonRoot') ? true : undefined,
    capabilities: defaultCapabilities(spec, given?.capabilities),
    readOnlyRootFilesystem:
      spec.readOnlyRootFilesystem === true && given?.readOnlyRootFilesystem === undefined ? true : undefined,
    allowPrivilegeEscalation: given?.allowPrivilegeEscalation ?? defaultEscalation(spec),
  });
  for (const profile of rules.profiles) profile.mutateContainer(pod, container);
  if (Object.keys(added).length > 0) container.securityContext = { ...given, ...added };
}

const defaultEscalation = (spec: Spec): boolean | undefined =>
  spec.defaultAllowPrivilegeEscalation ?? (spec.allowPrivilegeEscalation === false ? false : undefined);

const CONTEXT = 'spec.securityContext';

function validatePod(rules: Rules, pod: SeenPod): FieldErrors {
  const { spec } = pod;
  if (spec === undefined) return [];
  const context = spec.securityContext;
  const fsGroups = context?.fsGroup === undefined ? [] : [context.fsGroup];
  return [
    ...rules.fsGroup.validate(`${CONTEXT}.fsGroup`, fsGroups),
    ...rules.supplementalGroups.validate(`${CONTEXT}.supplementalGroups`, context?.supplementalGroups ?? []),
    ...rules.profiles.flatMap((profile) => profile.validatePod(pod)),
    ...rules.seLinux.validate(`${CONTEXT}.seLinuxOptions`, context?.seLinuxOptions),
    ...validateHost(rules.spec, spec),
    ...validateSysctls(rules.spec, context),
    ...validateVolumes(rules.spec, spec, rules.rootCaConfigMap),
    ...validateRuntimeClass(rules.spec, spec.runtimeClassName),
    ...podContainers(spec).flatMap((placed) => validateContainer(rules, pod, context, placed)),
  ];
}

const HOST = [
  ['hostNetwork', 'Host network is not allowed to be used'],
  ['hostPID', 'Host PID is not allowed to be used'],
  ['hostIPC', 'Host IPC is not allowed to be used'],
] as const;

/**
 * Validates the use of host namespaces. The error path is that of upstream's internal type, whose security
 * context contains these fields.
 */
const validateHost = (spec: Spec, pod: DeepReadonly<PodSpec>): FieldErrors =>
  HOST.filter(([field]) => pod[field] === true && spec[field] !== true).map(([field, detail]) =>
    invalidField(child(CONTEXT, field), true, detail),
  );

function validateRuntimeClass({ runtimeClass }: Spec, name: string | undefined): FieldErrors {
  if (runtimeClass === undefined || name === undefined) return [];
  const allowed = runtimeClass.allowedRuntimeClassNames ?? [];
  return allowed.includes('*') || allowed.includes(name)
    ? []
    : [invalidField('spec.runtimeClassName', name, '')];
}

function validateContainer(
  rules: Rules,
  pod: SeenPod,
  ofPod: SeenPodContext,
  { container, path }: Placed<DeepReadonly<PodContainer>>,
): FieldErrors {
  const given = container.securityContext;
  const at = child(path, 'securityContext');
  const group = given?.runAsGroup ?? ofPod?.runAsGroup;
  return [
    ...rules.runAsUser.validate(
      at,
      given?.runAsNonRoot ?? ofPod?.runAsNonRoot,
      given?.runAsUser ?? ofPod?.runAsUser,
    ),
    ...rules.runAsGroup.validate(child(at, 'runAsGroup'), group === undefined ? [] : [group]),
    ...rules.seLinux.validate(child(at, 'seLinuxOptions'), given?.seLinuxOptions ?? ofPod?.seLinuxOptions),
    ...rules.profiles.flatMap((profile) => profile.validateContainer(pod, container)),
    ...validatePrivileges(rules.spec, at, given),
    ...validateCapabilities(rules.spec, child(at, 'capabilities'), given?.capabilities),
    ...validateHostPorts(rules.spec, path, container),
  ];
}

function validatePrivileges(spec: Spec, path: string, given: SeenContext): FieldErrors {
  const errors: FieldError[] = [];
  const refuse = (field: string, value: unknown, detail: string): void =>
    void errors.push(invalidField(child(path, field), value, detail));
  if (spec.privileged !== true && given?.privileged === true)
    refuse('privileged', true, 'Privileged containers are not allowed');
  const procMount = given?.procMount ?? 'Default';
  const procMounts = spec.allowedProcMountTypes?.length ? spec.allowedProcMountTypes : ['Default'];
  if (!procMounts.some((type) => type === procMount))
    refuse('procMount', procMount, 'ProcMountType is not allowed');
  const readOnly = given?.readOnlyRootFilesystem;
  if (spec.readOnlyRootFilesystem === true && readOnly === undefined)
    refuse(
      'readOnlyRootFilesystem',
      NOTHING,
      'ReadOnlyRootFilesystem may not be nil and must be set to true',
    );
  else if (spec.readOnlyRootFilesystem === true && readOnly === false)
    refuse('readOnlyRootFilesystem', false, 'ReadOnlyRootFilesystem must be set to true');
  if (spec.allowPrivilegeEscalation === false && given?.allowPrivilegeEscalation !== false)
    refuse(
      'allowPrivilegeEscalation',
      given?.allowPrivilegeEscalation ?? NOTHING,
      'Allowing privilege escalation for containers is not allowed',
    );
  return errors;
}

function validateHostPorts(
  { hostPorts = [] }: Spec,
  path: string,
  { ports = [] }: DeepReadonly<PodContainer>,
): FieldErrors {
  const shown = hostPorts.map(({ min, max }) => (min === max ? `${min}` : `${min}-${max}`)).join(',');
  return ports.flatMap(({ hostPort = 0 }) => {
    const isAllowed = hostPort <= 0 || hostPorts.some(({ min, max }) => min <= hostPort && hostPort <= max);
    if (isAllowed) return [];
    const detail = `Host port ${hostPort} is not allowed to be used. Allowed ports: [${shown}]`;
    return [invalidField(child(path, 'hostPort'), hostPort, detail)];
  });
}
