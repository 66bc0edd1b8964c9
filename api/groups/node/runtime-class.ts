import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import { sameValue } from '../../kinds/carry-over.ts';
import { type FieldErrors, index, invalidField } from '../../status/field-errors.ts';
import type { RuntimeClass, Scheduling } from '../../types/node-v1.ts';
import { IMMUTABLE, checked, validateLabels } from '../../validation/metadata.ts';
import { isDns1123Label } from '../../validation/names.ts';
import { validateTolerations } from '../../validation/pod/spec.ts';
import { validateResourceRequirements } from '../../validation/resources.ts';
import { goDump } from '../../validation/go-text/dump.ts';
import { duplicateLiteral } from '../../validation/go-text/values.ts';

/** Checks the rules of `ValidateRuntimeClass` in Kubernetes 1.24. */
function validateRuntimeClass({
  handler = '',
  overhead,
  scheduling,
}: DeepReadonly<RuntimeClass>): FieldErrors {
  const limits = overhead?.podFixed;
  return [
    ...checked('handler', handler, isDns1123Label),
    ...(limits === undefined ? [] : validateResourceRequirements({ limits }, 'overhead')),
    ...(scheduling === undefined ? [] : validateScheduling(scheduling, 'scheduling')),
  ];
}

function validateScheduling(
  { nodeSelector, tolerations = [] }: DeepReadonly<Scheduling>,
  path: string,
): FieldErrors {
  const field = `${path}.tolerations`;
  return [
    ...validateLabels(nodeSelector, `${path}.nodeSelector`),
    // Upstream's error paths repeat the name of the list.
    ...validateTolerations(tolerations, `${field}.tolerations`),
    ...tolerations.flatMap((each, at) =>
      tolerations.slice(0, at).some((earlier) => sameValue(earlier, each))
        ? [duplicateLiteral(index(field, at), goDump('core.Toleration', each))]
        : [],
    ),
  ];
}

/** Strategy of RuntimeClasses. */
export const runtimeClassStrategy: Strategy<RuntimeClass> = {
  validate: validateRuntimeClass,
  validateUpdate: ({ handler }, previous) =>
    handler === previous.handler ? [] : [invalidField('handler', handler, IMMUTABLE)],
};

/** Table columns of RuntimeClasses. */
export const runtimeClassColumns: readonly Column<RuntimeClass>[] = [
  nameColumn,
  column<RuntimeClass>('Handler', ({ handler }) => handler ?? ''),
  ageColumn,
];
