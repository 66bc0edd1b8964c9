import { sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  forbiddenField,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { PodTemplateSpec } from '../../types/core-v1-pod.ts';
import type { LabelSelector } from '../../types/meta-v1.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { goLabelSelector } from '../go-text/structs.ts';
import { goStringMap, invalidLiteral } from '../go-text/values.ts';
import { isEmptySelector, isReadable, selects, validateLabelSelector } from '../label-selector.ts';
import { IMMUTABLE } from '../metadata.ts';
import { nonNegative } from '../numbers.ts';
import { validatePodTemplate } from '../pod/spec.ts';

// Rules shared by the kinds that have a pod template
// (https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/apis/apps/validation/validation.go).
type Template = DeepReadonly<PodTemplateSpec> | undefined;
type Selector = DeepReadonly<LabelSelector> | undefined | null;

/** Validates that a selector is present and not empty. `of` names the kind in upstream's message. */
export function validateOwnSelector(selector: Selector, path: string, of: string): FieldErrors {
  if (!selector) return [requiredField(path)];
  const errors: FieldError[] = [...validateLabelSelector(selector, path)];
  if (isEmptySelector(selector)) {
    errors.push(invalidLiteral(path, goLabelSelector(selector), `empty selector is invalid for ${of}`));
  }
  return errors;
}

/**
 * Validates that the selector matches the labels of the template. A missing selector matches no labels; an
 * empty selector is reported elsewhere.
 */
export function validateSelected(selector: Selector, template: Template, path: string): FieldErrors {
  const labels = template?.metadata?.labels;
  if (selector && (isEmptySelector(selector) || selects(selector, labels ?? {}))) return [];
  const detail = '`selector` does not match template `labels`';
  return [invalidLiteral(child(path, 'metadata', 'labels'), goStringMap(labels), detail)];
}

/**
 * Returns the error for a selector that cannot be evaluated; undefined if it can be. The error replaces all
 * errors about the template.
 */
export function unreadableSelector(selector: Selector, detail: string): FieldErrors | undefined {
  if (!selector || isReadable(selector)) return undefined;
  const shown = goLabelSelector(selector);
  return [invalidLiteral('spec.selector', shown, detail)];
}

/** Validates that the restart policy is `Always`. `kind` names the kind in the message. */
export function validateRunsForever(template: Template, path: string, kind: string): FieldErrors {
  const policy = template?.spec?.restartPolicy ?? '';
  const errors: FieldError[] = [];
  if (policy !== 'Always') {
    errors.push(notSupportedField(child(path, 'spec', 'restartPolicy'), policy, ['Always']));
  }
  if (template?.spec?.activeDeadlineSeconds !== undefined) {
    const detail = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(forbiddenField(child(path, 'spec', 'activeDeadlineSeconds'), detail));
  }
  return errors;
}

/** Checks the rules of `ValidatePodTemplateSpecForReplicaSet` in Kubernetes 1.24. */
export const validateReplicatedTemplate = (
  selector: Selector,
  template: Template,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors =>
  unreadableSelector(selector, 'invalid label selector') ?? [
    ...validateSelected(selector, template, path),
    ...validatePodTemplate(template, path, vocabulary),
    ...validateRunsForever(template, path, 'ReplicaSet'),
  ];

/** Validates that the selector is unchanged. */
export const validateSelectorUpdate = (next: Selector, previous: Selector): FieldErrors =>
  sameValue(next, previous)
    ? []
    : [
        next
          ? invalidLiteral('spec.selector', goLabelSelector(next), IMMUTABLE)
          : invalidField('spec.selector', null, IMMUTABLE),
      ];

type Counts = { readonly [field: string]: unknown } | undefined;

const countOf = (status: Counts, field: string): number => {
  const count = status && Object.hasOwn(status, field) ? status[field] : undefined;
  return typeof count === 'number' ? count : 0;
};

/** Validates that counters in a status are not negative. */
export const validateCounts = (status: object | undefined, fields: readonly string[]): FieldErrors =>
  fields.flatMap((field) => nonNegative(child('status', field), countOf(status as Counts, field)));

/**
 * Validates for each `[part, whole, name of whole]` that the count `part` is not larger than the count
 * `whole`.
 */
export const validateParts = (
  status: object | undefined,
  parts: readonly (readonly [part: string, whole: string, words?: string])[],
): FieldErrors =>
  parts.flatMap(([part, whole, words = whole]) => {
    const count = countOf(status as Counts, part);
    if (count <= countOf(status as Counts, whole)) return [];
    return [invalidField(child('status', part), count, `cannot be greater than ${words}`)];
  });

/** Validates that the collision count does not decrease. */
export function validateCollisionCount(next: number | undefined, previous: number | undefined): FieldErrors {
  const field = 'status.collisionCount';
  const errors: FieldError[] = [...nonNegative(field, next)];
  if (previous !== undefined && (next === undefined || next < previous)) {
    errors.push(invalidField(field, next ?? 0, 'cannot be decremented'));
  }
  return errors;
}

/** Checks the rules that all updates of a status with replica counts share. */
export const validateReplicaStatus = (status: object | undefined): FieldErrors => [
  ...validateCounts(status, [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
  ]),
  ...validateParts(status, [
    ['fullyLabeledReplicas', 'replicas', 'status.replicas'],
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas'],
  ]),
];
