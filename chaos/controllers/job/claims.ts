import { jobs } from '../../../api/groups/batch-v1.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { Job } from '../../../api/types/batch-v1.ts';
import { fromTime } from '../../../base/clock/index.ts';
import { type ConditionClaim, type EventClaim, trueCondition } from '../../oracles/claims/claim.ts';

type Any = DeepReadonly<ApiObject>;

/** Default of `spec.backoffLimit`. */
const BACKOFF_LIMIT = 6;
/** Tolerance in milliseconds for a clock that is estimated from responses. */
const TOLERANCE_MS = 65_000;

/** True if more pods failed than the limit allows. */
function isPastLimit(object: Any): boolean {
  const { spec, status } = object as DeepReadonly<Job>;
  const failed = (status?.failed ?? 0) + (status?.uncountedTerminatedPods?.failed ?? []).length;
  return failed > (spec?.backoffLimit ?? BACKOFF_LIMIT);
}

/** True if the containers of its pods restart in place, which the status does not count. */
const restartsInPlace = (object: Any): boolean =>
  (object as DeepReadonly<Job>).spec?.template?.spec?.restartPolicy === 'OnFailure';

const isOver = (object: Any): boolean =>
  trueCondition(object, 'Complete') !== undefined || trueCondition(object, 'Failed') !== undefined;

function isPastDeadline(object: Any, nowMs: number): boolean {
  const { spec, status } = object as DeepReadonly<Job>;
  const startMs = fromTime(status?.startTime);
  const seconds = spec?.activeDeadlineSeconds;
  return startMs !== undefined && seconds !== undefined && startMs + Number(seconds) * 1_000 <= nowMs;
}

/** Conditions of Jobs: https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy */
export const jobConditions: readonly ConditionClaim[] = [
  {
    id: 'claims/job-past-backoff-limit',
    says: 'a Job fails for its back-off limit if, and only if, more pods failed',
    kind: jobs,
    type: 'Failed',
    reason: 'BackoffLimitExceeded',
    isTrue: (job) => isPastLimit(job) || restartsInPlace(job),
    isOverdue: (job) => isPastLimit(job) && !isOver(job),
  },
  {
    id: 'claims/job-past-deadline',
    says: 'a Job fails for its deadline only after it',
    kind: jobs,
    type: 'Failed',
    reason: 'DeadlineExceeded',
    isTrue: (job, nowMs) => isPastDeadline(job, nowMs + TOLERANCE_MS),
    // `due/active-deadline-ends-job` judges it, because suspended time does not count.
    isOverdue: () => false,
  },
];

const hasCondition =
  (type: string) =>
  (object: Any): boolean =>
    trueCondition(object, type) !== undefined;

const failedFor =
  (reason: string) =>
  (object: Any): boolean =>
    trueCondition(object, 'Failed')?.reason === reason;

/** Events about Jobs. */
export const jobEvents: readonly EventClaim[] = [
  { kind: jobs, reason: 'Completed', isTrue: hasCondition('Complete') },
  { kind: jobs, reason: 'Suspended', isTrue: hasCondition('Suspended') },
  { kind: jobs, reason: 'BackoffLimitExceeded', isTrue: failedFor('BackoffLimitExceeded') },
  { kind: jobs, reason: 'DeadlineExceeded', isTrue: failedFor('DeadlineExceeded') },
];
