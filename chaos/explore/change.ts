import type { ApiRequest } from './api-request.ts';
import type { FaultKind } from './faults.ts';
import { textOf } from './text.ts';
import type { Process } from './world.ts';

/** A possible transition of one process that depends only on that process. */
export interface Change {
  label(who: string): string;
  readonly process: Process;
  /** Process after the change, in place of `process`, if this is the last fault of the budget. */
  readonly last?: Process;
  readonly fault?: FaultKind;
  /** Requests that are still in flight although their sender no longer waits. */
  readonly sent?: readonly ApiRequest[];
  /** Bits of the caches that were read, as in `Noted`. */
  readonly looked?: number;
  /** Machine states of the reconciliations whose requests the fault affects. */
  readonly struck?: readonly string[];
  /** Index of the informer that receives the event or falls silent. */
  readonly informer?: number;
  /** Set if an outside actor causes the change. Liveness must not depend on it. */
  readonly wish?: true;
  /** Set if time passes before the change. */
  readonly late?: true;
}

const isSame = (a: unknown, b: unknown): boolean => a === b || textOf(a) === textOf(b);
const areSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((each, at) => isSame(each, b[at]));

/**
 * True if both processes are equal. Unchanged parts are usually the same object, so the comparison is fast.
 */
export const isSameProcess = (a: Process, b: Process): boolean =>
  a === b ||
  (isSame(a.queue, b.queue) &&
    isSame(a.memory, b.memory) &&
    areSame(a.reconciles, b.reconciles) &&
    areSame(a.views, b.views));
