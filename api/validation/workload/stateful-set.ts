import { sameValue } from '../../kinds/carry-over.ts';
import type { DeepReadonly, StrategyContext } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  forbiddenField,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { StatefulSet, StatefulSetSpec } from '../../types/apps-v1.ts';
import { invalidTyped } from '../go-text/dump.ts';
import { nonNegative } from '../numbers.ts';
import {
  unreadableSelector,
  validateCollisionCount,
  validateCounts,
  validateOwnSelector,
  validateParts,
  validateRunsForever,
  validateSelected,
} from './template.ts';
import { validateTemplateMetadata } from '../pod/spec.ts';

type Frozen = DeepReadonly<StatefulSet>;
type Spec = DeepReadonly<StatefulSetSpec> | undefined;

const FIXED =
  "updates to statefulset spec for fields other than 'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

/**
 * Checks the rules of `ValidateStatefulSet` in Kubernetes 1.24. Like upstream, does not validate the spec of
 * the pod template, because it may mount volumes that only the claim templates create.
 */
export const validateStatefulSet = (
  { spec }: Frozen,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors => [
  ...validatePodManagement(spec),
  ...validateUpdateStrategy(spec),
  ...validateRetention(spec),
  ...nonNegative('spec.replicas', spec?.replicas),
  ...nonNegative('spec.minReadySeconds', spec?.minReadySeconds),
  ...validateOwnSelector(spec?.selector, 'spec.selector', 'statefulset'),
  ...(unreadableSelector(spec?.selector, '') ?? [
    ...validateSelected(spec?.selector, spec?.template, 'spec.template'),
    ...validateTemplateMetadata(spec?.template, 'spec.template', vocabulary),
  ]),
  ...validateRunsForever(spec?.template, 'spec.template', 'StatefulSet'),
];

function validatePodManagement(spec: Spec): FieldErrors {
  const field = 'spec.podManagementPolicy';
  const policy = spec?.podManagementPolicy ?? '';
  if (policy === '') return [requiredField(field)];
  return policy === 'OrderedReady' || policy === 'Parallel'
    ? []
    : [invalidField(field, policy, "must be 'OrderedReady' or 'Parallel'")];
}

function validateUpdateStrategy(spec: Spec): FieldErrors {
  const field = 'spec.updateStrategy';
  const { type = '', rollingUpdate } = spec?.updateStrategy ?? {};
  switch (type) {
    case '':
      return [requiredField(field)];
    case 'OnDelete':
      return rollingUpdate === undefined
        ? []
        : [
            invalidTyped(
              `${field}.rollingUpdate`,
              'apps.RollingUpdateStatefulSetStrategy',
              rollingUpdate,
              "only allowed for updateStrategy 'RollingUpdate'",
            ),
          ];
    case 'RollingUpdate':
      return nonNegative(`${field}.rollingUpdate.partition`, rollingUpdate?.partition);
    default:
      return [
        invalidTyped(
          field,
          'apps.StatefulSetUpdateStrategy',
          spec?.updateStrategy,
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ];
  }
}

const RETENTIONS = ['Retain', 'Delete'];

function validateRetention(spec: Spec): FieldErrors {
  const retention = spec?.persistentVolumeClaimRetentionPolicy;
  if (retention === undefined) return [];
  return (['whenDeleted', 'whenScaled'] as const).flatMap((when) => {
    const policy = retention[when] ?? '';
    const field = `spec.persistentVolumeClaimRetentionPolicy.${when}`;
    return RETENTIONS.includes(policy) ? [] : [notSupportedField(field, policy, RETENTIONS)];
  });
}

/** Checks the rules of `ValidateStatefulSetUpdate` in Kubernetes 1.24. */
export const validateStatefulSetUpdate = (next: Frozen, previous: Frozen): FieldErrors =>
  sameValue(immutableParts(next.spec), immutableParts(previous.spec)) ? [] : [forbiddenField('spec', FIXED)];

/** Returns the immutable parts of the spec. */
function immutableParts(spec: Spec): unknown {
  const {
    replicas: _replicas,
    template: _template,
    updateStrategy: _strategy,
    minReadySeconds: _ready,
    persistentVolumeClaimRetentionPolicy: _retention,
    ...rest
  } = spec ?? ({} as Partial<DeepReadonly<StatefulSetSpec>>);
  return rest;
}

/** Checks the rules of `ValidateStatefulSetStatus` in Kubernetes 1.24. */
export function validateStatefulSetStatus({ status }: Frozen, previous: Frozen): FieldErrors {
  const errors: FieldError[] = [
    ...validateCounts(status, [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
    ]),
    ...validateCollisionCount(status?.collisionCount, previous.status?.collisionCount),
    ...validateParts(status, [
      ['readyReplicas', 'replicas', 'status.replicas'],
      ['currentReplicas', 'replicas', 'status.replicas'],
      ['updatedReplicas', 'replicas', 'status.replicas'],
      ['availableReplicas', 'replicas', 'status.replicas'],
      ['availableReplicas', 'readyReplicas', 'status.readyReplicas'],
    ]),
  ];
  return errors;
}
