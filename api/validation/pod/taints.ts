import type { DeepReadonly } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  index,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { Taint } from '../../types/core-v1-node.ts';
import { duplicateLiteral, goString } from '../go-text/values.ts';
import { checked } from '../metadata.ts';
import { isLabelValue, isQualifiedName } from '../names.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/**
 * Validates the effect of a taint. `optional` allows an empty effect, which in a toleration matches all
 * effects.
 */
export function validateTaintEffect(
  effect: string | undefined,
  optional: boolean,
  path: string,
): FieldErrors {
  if (!effect) return optional ? [] : [requiredField(path)];
  return EFFECTS.includes(effect) ? [] : [notSupportedField(path, effect, EFFECTS)];
}

/** Validates the taints of a node. */
export function validateTaints(taints: readonly DeepReadonly<Taint>[], path: string): FieldErrors {
  const seen = new Set<string>();
  return taints.flatMap((taint, at) => {
    const each = index(path, at);
    const errors: FieldError[] = [...checked(`${each}.key`, taint.key ?? '', isQualifiedName)];
    const complaints = isLabelValue(taint.value ?? '');
    if (complaints.length > 0) {
      errors.push(invalidField(`${each}.value`, taint.value, complaints.join(';')));
    }
    errors.push(...validateTaintEffect(taint.effect, false, `${each}.effect`));
    const identity = `${taint.effect} ${taint.key}`;
    if (seen.has(identity)) errors.push(duplicateTaint(taint, each));
    seen.add(identity);
    return errors;
  });
}

const duplicateTaint = (taint: DeepReadonly<Taint>, field: string): FieldError =>
  duplicateLiteral(
    field,
    `core.Taint{Key:${goString(taint.key)}, Value:${goString(taint.value)}, Effect:${goString(taint.effect)}, TimeAdded:<nil>}: taints must be unique by key and effect pair`,
  );
