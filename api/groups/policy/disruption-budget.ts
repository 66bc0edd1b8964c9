import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, Strategy } from '../../kinds/kind.ts';
import type { PodDisruptionBudget } from '../../types/policy-v1.ts';
import {
  validateDisruptionBudget,
  validateDisruptionStatus,
} from '../../validation/workload/disruption-budget.ts';
import { countColumn } from '../replica-columns.ts';
import { statusSubresource } from '../status-subresource.ts';

const nothing = (): NonNullable<PodDisruptionBudget['status']> => ({
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
});

/** Strategy of PodDisruptionBudgets. */
export const disruptionBudgetStrategy: Strategy<PodDisruptionBudget> = {
  prepareForCreate(next) {
    next.status = nothing();
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: (next) => validateDisruptionBudget(next),
};

/** Subresources of PodDisruptionBudgets. */
export const disruptionBudgetSubresources = {
  status: statusSubresource<PodDisruptionBudget>((next) => validateDisruptionStatus(next)),
};

/** Cell of a missing value. Other kinds use `<none>`. */
const NOT_GIVEN = 'N/A';

/** Table columns of PodDisruptionBudgets. */
export const disruptionBudgetColumns: readonly Column<PodDisruptionBudget>[] = [
  nameColumn,
  column<PodDisruptionBudget>(
    'Min Available',
    ({ spec }) => String(spec?.minAvailable ?? NOT_GIVEN),
    'The minimum number of pods that must be available.',
  ),
  column<PodDisruptionBudget>(
    'Max Unavailable',
    ({ spec }) => String(spec?.maxUnavailable ?? NOT_GIVEN),
    'The maximum number of pods that may be unavailable.',
  ),
  countColumn<PodDisruptionBudget>(
    'Allowed Disruptions',
    ({ status }) => status?.disruptionsAllowed,
    'Calculated number of pods that may be disrupted at this time.',
  ),
  ageColumn,
];
