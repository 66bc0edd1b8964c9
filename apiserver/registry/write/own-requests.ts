import type { Cancellation } from '../../../base/async/cancellation.ts';
import type { WorkBudget } from '../../../base/budget/work-budget.ts';
import { MASTERS } from '../../auth/groups.ts';
import type { DeleteParameters, ListParameters, WriteContext } from '../registry.ts';
import { wholeContext } from './write-context.ts';

/** As which the server itself writes. */
export const OWN_USER = 'system:apiserver';

/**
 * A write of the server's own: it may do everything, and nobody hears warnings.
 *
 * @param budget makes the write of a large object pause; default none is large
 */
export const ownWrite = (
  signal: Cancellation,
  fieldManager: string = OWN_USER,
  budget?: WorkBudget,
): WriteContext =>
  wholeContext({
    user: { username: OWN_USER, groups: [MASTERS] },
    dryRun: false,
    fieldManager,
    fieldValidation: 'Ignore',
    warn: () => {},
    signal,
    budget,
  });

/** A list of all objects of a kind. */
export const EVERYTHING: ListParameters = {
  namespace: '',
  labelSelector: '',
  fieldSelector: '',
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continueToken: '',
};

/** A deletion without conditions, as the kind has it by default. */
export const PLAIN_DELETION: DeleteParameters = {
  preconditions: {},
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
};
