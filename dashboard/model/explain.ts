import type { KeyState } from './controller-model.ts';
import { durationText } from './durations.ts';
import type { Reconcile } from './reconciles.ts';
import { type ExplainedObject, reasonOf } from './reasons.ts';

/** Input of an explanation. */
export interface Explained {
  readonly key: string;
  readonly state?: KeyState | undefined;
  /** The last reconciles of the key, oldest first. */
  readonly reconciles: readonly Reconcile[];
  /** The object that the key names; `absent` if it does not exist, undefined if it could not be read. */
  readonly object?: ExplainedObject | 'absent' | undefined;
  readonly nowMs: number;
  /** True if the object needs attention, so that it is not called settled. Default false. */
  readonly isStuck?: boolean;
}

/** Returns one sentence that explains why a key is in its state. */
export function explain({ key, state, reconciles, object, nowMs, isStuck }: Explained): string {
  const because = whyOf(object);
  const also = because === undefined ? '' : `; ${because}`;
  if (state === undefined)
    return object === 'absent'
      ? `No object has the name ${key}, and the journal has no reconcile of it: the name may be mistyped.`
      : `The journal has no reconcile of ${key}${also}.`;
  if (state.reconcileId !== undefined)
    return `${key} has been in ${state.state || 'a reconcile'} for ${durationText(nowMs - state.sinceMs)}${pending(reconciles)}.`;
  switch (state.outcome) {
    case 'failed':
      return `The last reconcile of ${key} failed${failedStep(reconciles)}: ${state.error ?? 'without a reason'}; ${nextReconcile(state, nowMs)}${failures(state.retries)}${also}.`;
    case 'requeue':
      return `${key} waits (${withoutDelay(state.reason)}); ${nextReconcile(state, nowMs)}${also}.`;
    default:
      if (isStuck)
        return `${key} is stuck${because === undefined ? '' : `: ${because}`}. The controller can do nothing until that changes.`;
      return `${key} is settled: ${because ?? 'nothing is left to do until something it depends on changes'}.`;
  }
}

function whyOf(object: Explained['object']): string | undefined {
  if (object === 'absent') return 'the object no longer exists';
  return object && reasonOf(object);
}

/**
 * Removes the delay from the end of a reason, because the page shows the time of the next reconcile instead.
 */
export const withoutDelay = (reason = 'without a reason'): string => reason.replace(/ \(after \d+ ms\)$/, '');

function nextReconcile({ nextMs }: KeyState, nowMs: number): string {
  if (nextMs === undefined) return 'it is reconciled when something it depends on changes';
  return nextMs > nowMs ? `next reconcile in ${durationText(nextMs - nowMs)}` : 'due now';
}

const failures = (retries: number): string => (retries > 1 ? ` (${retries} failures in a row)` : '');

/**
 * Returns a clause with the state in which the last reconcile failed, and the request that failed in this
 * state.
 */
function failedStep(reconciles: readonly Reconcile[]): string {
  const steps = reconciles.findLast(({ outcome }) => outcome === 'failed')?.steps ?? [];
  const step = steps.at(-2);
  if (step === undefined) return '';
  const refused = step.requests.findLast(({ code }) => !/^[123]/.test(code));
  const request =
    refused === undefined ? '' : `, where ${refused.verb} ${refused.resource} returned ${refused.code}`;
  return ` in ${step.state}${request}`;
}

function pending(reconciles: readonly Reconcile[]): string {
  const count = reconciles.at(-1)?.steps.at(-1)?.requests.length ?? 0;
  return count === 0 ? '' : `, after ${count === 1 ? 'one request' : `${count} requests`}`;
}
