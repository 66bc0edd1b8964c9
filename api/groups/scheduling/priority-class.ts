import { ageColumn, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, Strategy } from '../../kinds/kind.ts';
import {
  type FieldErrors,
  forbiddenField,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { PriorityClass } from '../../types/scheduling-v1.ts';
import { IMMUTABLE } from '../../validation/metadata.ts';

type Frozen = DeepReadonly<PriorityClass>;

const SYSTEM_PREFIX = 'system-';
const HIGHEST_OF_USERS = 1_000_000_000;
const POLICIES = ['PreemptLowerPriority', 'Never'];

/** PriorityClasses that every cluster has, for pods without which a cluster or a node cannot run. */
export const SYSTEM_PRIORITY_CLASSES: readonly {
  readonly name: string;
  readonly value: number;
  readonly description: string;
}[] = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

/**
 * Returns the reason why a PriorityClass with the system's name prefix is invalid
 * (`IsKnownSystemPriorityClass` in Kubernetes 1.24); undefined if it is valid.
 */
function whyUnknown(name: string, { value, globalDefault = false }: Frozen): string | undefined {
  const known = SYSTEM_PRIORITY_CLASSES.find((each) => each.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validateName(next: Frozen): FieldErrors {
  const name = next.metadata?.name ?? '';
  if (name.startsWith(SYSTEM_PREFIX)) {
    const why = whyUnknown(name, next);
    const rule = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only`;
    return why === undefined ? [] : [forbiddenField('metadata.name', `${rule}. error: ${why}`)];
  }
  return (next.value ?? 0) > HIGHEST_OF_USERS
    ? [forbiddenField('value', `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`)]
    : [];
}

function validatePolicy(policy: string | undefined): FieldErrors {
  if (policy === undefined) return [];
  if (policy === '') return [requiredField('preemptionPolicy')];
  return POLICIES.includes(policy) ? [] : [notSupportedField('preemptionPolicy', policy, POLICIES)];
}

/** Strategy of PriorityClasses. */
export const priorityClassStrategy: Strategy<PriorityClass> = {
  defaults(next) {
    next.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validateCreate: (next) => [...validateName(next), ...validatePolicy(next.preemptionPolicy)],
  validateUpdate: (next, previous) => [
    ...(next.value === previous.value ? [] : [forbiddenField('Value', 'may not be changed in an update.')]),
    ...(next.preemptionPolicy === previous.preemptionPolicy
      ? []
      : [invalidField('preemptionPolicy', next.preemptionPolicy, IMMUTABLE)]),
  ],
};

/** Table columns of PriorityClasses. */
export const priorityClassColumns: readonly Column<PriorityClass>[] = [
  nameColumn,
  {
    name: 'Value',
    type: 'integer',
    description:
      'The value of this priority class. This is the actual priority that pods receive when they have the name of this class in their pod spec.',
    cell: ({ value }) => value ?? 0,
  },
  {
    name: 'Global-Default',
    type: 'boolean',
    description:
      'globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do not have any priority class. Only one PriorityClass can be marked as `globalDefault`. However, if more than one PriorityClasses exists with their `globalDefault` field set to true, the smallest value of such global default PriorityClasses will be used as the default priority.',
    cell: ({ globalDefault }) => globalDefault ?? false,
  },
  ageColumn,
];
