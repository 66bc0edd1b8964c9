import { ageColumn, column, nameColumn } from '../kinds/columns.ts';
import { type DeepReadonly, defineKind } from '../kinds/kind.ts';
import { CHANGE } from '../kinds/policy.ts';
import { type FieldErrors, invalidField } from '../status/field-errors.ts';
import { Lease } from '../types/coordination-v1.ts';

/** Checks the rules of `ValidateLeaseSpec` in Kubernetes 1.24. */
function validateLease(lease: DeepReadonly<Lease>): FieldErrors {
  const { leaseDurationSeconds, leaseTransitions } = lease.spec ?? {};
  return [
    ...(leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0
      ? [invalidField('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0')]
      : []),
    ...(leaseTransitions !== undefined && leaseTransitions < 0
      ? [invalidField('spec.leaseTransitions', leaseTransitions, 'must to greater or equal than 0')]
      : []),
  ];
}

/** Kind `Lease` of `coordination/v1`. */
export const leases = defineKind<Lease>({
  group: 'coordination',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  schema: Lease,
  anyFinalizer: true,
  strategy: { validate: validateLease },
  columns: [
    nameColumn,
    column<Lease>(
      'Holder',
      (lease) => lease.spec?.holderIdentity ?? '',
      'holderIdentity contains the identity of the holder of a current lease.',
    ),
    ageColumn,
  ],
  policy: { createOnUpdate: true, unconditionalUpdate: false, sharesItems: true, rechecks: CHANGE },
});
