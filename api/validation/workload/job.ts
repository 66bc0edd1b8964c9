import { sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly, StrategyContext } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  invalidField,
  mapKey,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { Job, JobSpec } from '../../types/batch-v1.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { goLabelSelector } from '../go-text/structs.ts';
import { goStringMap, invalidLiteral } from '../go-text/values.ts';
import { isReadable, selects, validateLabelSelector } from '../label-selector.ts';
import { IMMUTABLE } from '../metadata.ts';
import { nonNegative } from '../numbers.ts';
import { validatePodTemplate } from '../pod/spec.ts';

type Spec = DeepReadonly<JobSpec>;
type Frozen = DeepReadonly<Job>;

const MAX_INDEXED_PARALLELISM = 100_000;
const RESTART_POLICIES = ['OnFailure', 'Never'];

/** Checks the rules of `ValidateJobSpec` in Kubernetes 1.24. */
export const validateJob = (
  { spec }: Frozen,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors => [...validateJobTemplate(spec, 'spec', vocabulary), ...validateSelector(spec)];

/** Checks the rules of a Job's spec that also apply to a CronJob's template. */
export function validateJobTemplate(
  spec: Spec | undefined,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  const errors: FieldError[] = [];
  const numbers = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
  ] as const;
  for (const field of numbers) errors.push(...nonNegative(child(path, field), spec?.[field]));
  errors.push(...validateCompletionMode(spec, path));
  const template = child(path, 'template');
  errors.push(...validatePodTemplate(spec?.template, template, vocabulary));
  const policy = spec?.template?.spec?.restartPolicy ?? '';
  const field = child(template, 'spec', 'restartPolicy');
  if (policy === '' || policy === 'Always') {
    errors.push(requiredField(field, 'valid values: "OnFailure", "Never"'));
  } else if (!RESTART_POLICIES.includes(policy)) {
    errors.push(notSupportedField(field, policy, RESTART_POLICIES));
  }
  return errors;
}

function validateCompletionMode(spec: Spec | undefined, path: string): FieldErrors {
  const mode: string | undefined = spec?.completionMode;
  if (mode === undefined || mode === 'NonIndexed') return [];
  if (mode !== 'Indexed') {
    return [notSupportedField(child(path, 'completionMode'), mode, ['NonIndexed', 'Indexed'])];
  }
  const errors: FieldError[] = [];
  if (spec?.completions === undefined) {
    errors.push(requiredField(child(path, 'completions'), 'when completion mode is Indexed'));
  }
  if ((spec?.parallelism ?? 0) > MAX_INDEXED_PARALLELISM) {
    const detail = `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`;
    errors.push(invalidField(child(path, 'parallelism'), spec?.parallelism, detail));
  }
  return errors;
}

/** Validates that the selector matches the labels of the pod template. */
function validateSelector(spec: Spec | undefined): FieldErrors {
  const labels = spec?.template?.metadata?.labels;
  const errors: FieldError[] =
    spec?.selector === undefined
      ? [requiredField('spec.selector')]
      : [...validateLabelSelector(spec.selector, 'spec.selector')];
  if (!spec?.selector || (isReadable(spec.selector) && !selects(spec.selector, labels ?? {}))) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalidLiteral('spec.template.metadata.labels', goStringMap(labels), detail));
  }
  return errors;
}

/** Validates that the selector which the server generated refers to this Job. */
export function validateGeneratedSelector({ metadata, spec }: Frozen): FieldErrors {
  if (spec?.manualSelector === true || spec?.selector === undefined) return [];
  const expected = { 'controller-uid': metadata?.uid ?? '', 'job-name': metadata?.name ?? '' };
  const errors: FieldError[] = [];
  if (expected['controller-uid'] === '') errors.push(requiredField('metadata.uid'));
  const labels = spec.template?.metadata?.labels ?? {};
  for (const [key, text] of Object.entries(expected)) {
    const field = mapKey('spec.template.metadata.labels', key);
    const detail = `must be '${text}'`;
    if (!Object.hasOwn(labels, key)) errors.push(requiredField(field, detail));
    else if (labels[key] !== text) errors.push(invalidLiteral(field, goStringMap(labels), detail));
  }
  if (isReadable(spec.selector) && !selects(spec.selector, expected)) {
    errors.push(
      invalidLiteral('spec.selector', goLabelSelector(spec.selector), '`selector` not auto-generated'),
    );
  }
  return errors;
}

/** Checks the rules of `ValidateJobSpecUpdate` in Kubernetes 1.24: the pod template is immutable. */
export function validateJobUpdate(next: Frozen, previous: Frozen): FieldErrors {
  const waiting = previous.spec?.suspend === true && previous.status?.startTime === undefined;
  const immutableParts = (job: Frozen): unknown =>
    waiting ? withoutScheduling(job.spec?.template) : job.spec?.template;
  const errors: FieldError[] = [];
  const immutable = (field: 'completions' | 'completionMode'): void => {
    if (sameValue(next.spec?.[field], previous.spec?.[field])) return;
    errors.push(invalidField(`spec.${field}`, next.spec?.[field], IMMUTABLE));
  };
  immutable('completions');
  const selector = next.spec?.selector;
  if (!sameValue(selector, previous.spec?.selector)) {
    errors.push(invalidTyped('spec.selector', 'v1.LabelSelector', selector, IMMUTABLE));
  }
  if (!sameValue(immutableParts(next), immutableParts(previous))) {
    errors.push(invalidTyped('spec.template', 'core.PodTemplateSpec', next.spec?.template ?? {}, IMMUTABLE));
  }
  immutable('completionMode');
  return errors;
}

/**
 * Returns the template without the scheduling fields, which may still change in a suspended Job that has
 * never started.
 */
function withoutScheduling(template: Spec['template'] | undefined): unknown {
  const { nodeSelector: _selector, tolerations: _tolerations, affinity, ...spec } = template?.spec ?? {};
  const { nodeAffinity: _affinity, ...otherAffinity } = affinity ?? {};
  const { labels: _labels, annotations: _annotations, ...metadata } = template?.metadata ?? {};
  return { metadata, spec, affinity: otherAffinity };
}
