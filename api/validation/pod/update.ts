import { sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly, StrategyContext } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  index,
  invalidField,
  requiredField,
} from '../../status/field-errors.ts';
import { goDiff } from '../go-text/diff.ts';
import { IN_SECURITY_CONTEXT } from '../go-text/types.ts';
import { within } from '../numbers.ts';
import { validatePodAnnotationsUpdate } from './annotations.ts';
import { validateImages } from './create.ts';
import { validateTolerations } from './spec.ts';
import type { Container } from '../../types/core-v1-container.ts';
import type { Pod, PodSpec, Toleration } from '../../types/core-v1-pod.ts';

type Frozen = DeepReadonly<Pod>;
type Spec = DeepReadonly<PodSpec>;

const MAX_INT32 = 2 ** 31 - 1;
const IMMUTABLE_SPEC =
  'pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, `spec.tolerations` (only additions to existing tolerations) or `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/**
 * Checks the rules of `ValidatePodUpdate` in Kubernetes 1.24: only images, the active deadline and additional
 * tolerations may change.
 */
export const validatePodUpdate = (
  next: Frozen,
  previous: Frozen,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors => {
  const [now, before] = [next.metadata?.annotations, previous.metadata?.annotations];
  return [
    ...validatePodAnnotationsUpdate(now, before, 'metadata.annotations', vocabulary),
    ...validateSpecUpdate(next, previous),
  ];
};

function validateSpecUpdate(next: Frozen, previous: Frozen): FieldErrors {
  for (const list of ['containers', 'initContainers'] as const) {
    if ((next.spec?.[list] ?? []).length !== (previous.spec?.[list] ?? []).length) {
      return [forbiddenField(child('spec', list), 'pod updates may not add or remove containers')];
    }
  }
  const errors: FieldError[] = [
    ...validateNewImages(next.spec, 'containers'),
    ...validateNewImages(next.spec, 'initContainers'),
    ...validateDeadline(next, previous),
    ...validateAddedTolerations(next, previous),
  ];
  if (
    !sameValue(immutableParts(next.spec), immutableParts(previous.spec)) &&
    !onlyGraceShortened(next, previous)
  ) {
    const difference = goDiff(
      'core.PodSpec',
      internal(previous.spec),
      internal(withMutableFieldsReset(next, previous)),
    );
    errors.push(forbiddenField('spec', `${IMMUTABLE_SPEC}\n${difference}`));
  }
  return errors;
}

/** Validates that images, which may change, are not empty. */
const validateNewImages = (spec: Spec | undefined, list: 'containers' | 'initContainers'): FieldErrors => [
  ...(spec?.[list] ?? []).flatMap(({ image = '' }, at) =>
    image === '' ? [requiredField(child(index(child('spec', list), at), 'image'))] : [],
  ),
  ...validateImages(spec, list),
];

/** Validates that the active deadline is only set or shortened. */
function validateDeadline(next: Frozen, previous: Frozen): FieldErrors {
  const [now, before] = [next.spec?.activeDeadlineSeconds, previous.spec?.activeDeadlineSeconds];
  const field = 'spec.activeDeadlineSeconds';
  if (now === undefined) {
    return before === undefined
      ? []
      : [invalidField(field, null, 'must not update from a positive integer to nil value')];
  }
  if (now < 0 || now > MAX_INT32) return within(field, now, 0, MAX_INT32);
  return before !== undefined && now > before
    ? [invalidField(field, now, 'must be less than or equal to previous value')]
    : [];
}

/** Validates that tolerations are only added, except that the duration of a toleration may change. */
function validateAddedTolerations(next: Frozen, previous: Frozen): FieldErrors {
  const identity = ({ key, operator, value, effect }: DeepReadonly<Toleration>): string =>
    JSON.stringify([key, operator, value, effect]);
  const now = new Set((next.spec?.tolerations ?? []).map(identity));
  const kept = (previous.spec?.tolerations ?? []).every((each) => now.has(identity(each)));
  const detail = 'existing toleration can not be modified except its tolerationSeconds';
  return kept
    ? validateTolerations(next.spec?.tolerations ?? [], 'spec.tolerations')
    : [forbiddenField('spec.tolerations', detail)];
}

/** Returns the parts of a pod spec that are always immutable. */
function immutableParts(spec: Spec | undefined): unknown {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, ...rest } = spec ?? {};
  return {
    ...rest,
    containers: withoutImages(spec?.containers),
    initContainers: withoutImages(spec?.initContainers),
  };
}

/**
 * Returns the next spec with its mutable fields reset to their previous values. Any remaining difference is
 * an error.
 */
function withMutableFieldsReset(next: Frozen, previous: Frozen): Spec {
  const { activeDeadlineSeconds, tolerations } = previous.spec ?? {};
  const imaged = (list: 'containers' | 'initContainers') =>
    next.spec?.[list]?.map((each, at) => ({ ...each, image: previous.spec?.[list]?.[at]?.image }));
  return {
    ...next.spec,
    activeDeadlineSeconds,
    tolerations,
    containers: imaged('containers'),
    initContainers: imaged('initContainers'),
  } as Spec;
}

/** Returns a spec in upstream's internal form, which has the shared namespaces in the security context. */
function internal(spec: Spec | undefined): object {
  const shared = IN_SECURITY_CONTEXT.filter((name) => spec?.[name] !== undefined);
  const context = Object.fromEntries(shared.map((name) => [name, spec?.[name]]));
  return { ...spec, securityContext: { ...context, ...spec?.securityContext } };
}

const withoutImages = (containers: readonly DeepReadonly<Container>[] | undefined): unknown =>
  (containers ?? []).map(({ image: _image, ...rest }) => rest);

/** True if the only change is a negative grace period of an old object that becomes one second. */
function onlyGraceShortened(next: Frozen, previous: Frozen): boolean {
  const before = previous.spec?.terminationGracePeriodSeconds ?? 0;
  if (before >= 0 || next.spec?.terminationGracePeriodSeconds !== 1) return false;
  const mended = { ...previous.spec, terminationGracePeriodSeconds: 1 } as Spec;
  return sameValue(immutableParts(next.spec), immutableParts(mended));
}
