import type { Cancellation } from '../../../base/async/index.ts';
import type { WorkBudget } from '../../../base/budget/index.ts';
import { MASTERS } from '../../auth/groups.ts';
import type { DeleteParameters, ListParameters, WriteContext } from '../registry.ts';
import { wholeContext } from './write-context.ts';

/** Username for the server's own writes. */
export const OWN_USER = 'system:apiserver';

/**
 * Returns the context for a write by the server itself: all permissions, warnings discarded.
 *
 * @param budget makes the write of a large object pause; default: unlimited
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

/** Parameters of a list of all objects of a kind. */
export const EVERYTHING: ListParameters = {
  namespace: '',
  labelSelector: '',
  fieldSelector: '',
  resourceVersion: '',
  resourceVersionMatch: '',
  limit: 0,
  continueToken: '',
};

/** Parameters of a deletion without preconditions, with the kind's defaults. */
export const PLAIN_DELETION: DeleteParameters = {
  preconditions: {},
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
};
