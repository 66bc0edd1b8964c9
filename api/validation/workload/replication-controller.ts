import type { DeepReadonly, StrategyContext } from '../../kinds/kind.ts';
import { type FieldError, type FieldErrors, requiredField } from '../../status/field-errors.ts';
import type { ReplicationController } from '../../types/core-v1-workload.ts';
import { goStringMap, invalidLiteral } from '../go-text/values.ts';
import { selects } from '../label-selector.ts';
import { nonNegative } from '../numbers.ts';
import { validateRunsForever } from './template.ts';
import { validatePodTemplate } from '../pod/spec.ts';

/** Checks the rules of `ValidateReplicationControllerSpec` in Kubernetes 1.24. */
export function validateReplicationController(
  { spec }: DeepReadonly<ReplicationController>,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors {
  const { selector = {}, template } = spec ?? {};
  const errors: FieldError[] = [
    ...nonNegative('spec.minReadySeconds', spec?.minReadySeconds),
    ...(Object.keys(selector).length === 0 ? [requiredField('spec.selector')] : []),
    ...nonNegative('spec.replicas', spec?.replicas),
  ];
  if (template === undefined) return [...errors, requiredField('spec.template')];
  const labels = template.metadata?.labels;
  if (!selects({ matchLabels: selector }, labels ?? {})) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalidLiteral('spec.template.metadata.labels', goStringMap(labels), detail));
  }
  return [
    ...errors,
    ...validatePodTemplate(template, 'spec.template', vocabulary),
    ...validateRunsForever(template, 'spec.template', 'ReplicationController'),
  ];
}
