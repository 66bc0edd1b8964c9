import {
  type Condition,
  type Finalized,
  type Plan,
  finalizerStep,
  setCondition,
  withFinalizer,
  withoutFinalizer,
} from 'orch/machines';
import type { Target } from 'orch/runtime';

/** Finalizer that prevents the removal of a Backup until its data is erased. */
export const FINALIZER = 'example.com/erase';

export type JobState = 'none' | 'running' | 'complete' | 'failed';
export type Purpose = 'copy' | 'erase';

/** Observation of one Backup; null if it does not exist. */
export type Observed = {
  readonly target: Target;
  readonly object: Finalized;
  readonly generation: number;
  readonly conditions: readonly Condition[];
  readonly jobs: { readonly [P in Purpose]: JobState };
  /** Current time, RFC 3339. */
  readonly now: string;
} | null;

export type Action =
  | { readonly type: 'setFinalizers'; readonly target: Target; readonly finalizers: readonly string[] }
  | { readonly type: 'createJob'; readonly target: Target; readonly purpose: Purpose }
  | { readonly type: 'report'; readonly target: Target; readonly conditions: readonly Condition[] };

const REASONS = { none: 'JobCreated', running: 'JobRuns', complete: 'JobComplete', failed: 'JobFailed' };

/**
 * Plans the Job that copies the data, and for a deleted Backup a second Job that erases the data. The
 * finalizer is removed after the second Job.
 */
export function plan(observed: Observed): Plan<Action> {
  if (observed === null) return { actions: [] };
  const { target, object, generation, jobs } = observed;
  switch (finalizerStep(object, FINALIZER)) {
    case 'released':
      return { actions: [] };
    case 'add':
      return {
        actions: [{ type: 'setFinalizers', target, finalizers: withFinalizer(object, FINALIZER) }],
      };
    case 'clean':
      if (jobs.erase === 'none') return { actions: [{ type: 'createJob', target, purpose: 'erase' }] };
      if (jobs.erase !== 'complete') return { actions: [] };
      return {
        actions: [{ type: 'setFinalizers', target, finalizers: withoutFinalizer(object, FINALIZER) }],
      };
    case 'held': {
      const complete = {
        type: 'Complete',
        status: jobs.copy === 'complete' ? 'True' : 'False',
        observedGeneration: generation,
        reason: REASONS[jobs.copy],
        message: '',
      } as const;
      const conditions = setCondition(observed.conditions, complete, observed.now);
      return {
        actions: [
          ...(jobs.copy === 'none' ? [{ type: 'createJob', target, purpose: 'copy' } as const] : []),
          ...(conditions === observed.conditions ? [] : [{ type: 'report', target, conditions } as const]),
        ],
      };
    }
  }
}
