import { scheduleOf } from '../../../api/groups/batch/index.ts';
import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import { certificateSigningRequests } from '../../../api/groups/certificates-v1.ts';
import { secrets } from '../../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly, Kind } from '../../../api/kinds/index.ts';
import type { CronJob, Job } from '../../../api/types/batch-v1.ts';
import type { CertificateSigningRequest } from '../../../api/types/certificates-v1.ts';
import type { Secret } from '../../../api/types/core-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { fromTime } from '../../../base/clock/index.ts';
import { endOfLife } from '../../controllers/csrcleaner/invariants.ts';
import { expiryOf } from '../../invariants/bootstrap-tokens.ts';

type Any = DeepReadonly<ApiObject>;

/** A field that makes objects due at a time, by which a controller must act. */
export interface DueTime {
  readonly id: string;
  readonly says: string;
  readonly controller: string;
  readonly kind: Kind<never>;
  /**
   * Returns the latest time up to `nowMs` at which the object was due, unless the controller has acted on it or
   * need not; in milliseconds. Times before `sinceMs` do not count.
   */
  readonly dueMs: (object: Any, nowMs: number, sinceMs: number) => number | undefined;
  /** Returns what decides when the object is due. A change must reach the controller first. */
  readonly termsOf: (object: Any) => unknown;
  /** Returns the part of the terms whose change makes earlier times irrelevant; default none. */
  readonly restartOf?: (object: Any) => unknown;
  /** True if one reconcile may be too few to act; then only quiescent worlds are judged. */
  readonly needsSeveral?: true;
  /** Time in milliseconds after which a quiescent world is judged; undefined if it is not. */
  readonly restMs?: number;
}

const SECOND_MS = 1_000;
const upTo = (dueMs: number | undefined, nowMs: number): number | undefined =>
  dueMs !== undefined && dueMs <= nowMs ? dueMs : undefined;
const isEnding = ({ metadata }: Any): boolean => metadata?.deletionTimestamp !== undefined;
const isTrue = (job: DeepReadonly<Job>, ...types: readonly string[]) =>
  job.status?.conditions?.find(({ type, status }) => status === 'True' && types.includes(type));

/** Returns the end of the time to live of a finished Job. */
function endOfJob(job: DeepReadonly<Job>): number | undefined {
  const finishedMs = fromTime(isTrue(job, 'Complete', 'Failed')?.lastTransitionTime);
  const seconds = job.spec?.ttlSecondsAfterFinished;
  return finishedMs === undefined || seconds === undefined ? undefined : finishedMs + seconds * SECOND_MS;
}

/** Returns the deadline of a running Job. */
function deadlineOf(job: DeepReadonly<Job>): number | undefined {
  const { activeDeadlineSeconds, suspend } = job.spec ?? {};
  const startMs = fromTime(job.status?.startTime);
  if (suspend === true || isTrue(job, 'Complete', 'Failed', 'Suspended')) return undefined;
  return activeDeadlineSeconds === undefined || startMs === undefined
    ? undefined
    : startMs + Number(activeDeadlineSeconds) * SECOND_MS;
}

const expirations = ({ namespaces, secretTypes }: Vocabulary): readonly DueTime[] => [
  {
    // https://kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished/
    id: 'due/finished-job-expires',
    says: 'a Job is deleted after its time to live, however it finished',
    controller: 'ttlafterfinished',
    kind: jobs,
    dueMs: (job, nowMs) => (isEnding(job) ? undefined : upTo(endOfJob(job as DeepReadonly<Job>), nowMs)),
    termsOf: (job) => endOfJob(job as DeepReadonly<Job>),
    restMs: 5_000,
  },
  {
    // https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup
    id: 'due/active-deadline-ends-job',
    says: 'a Job that runs longer than its deadline fails',
    controller: 'job',
    kind: jobs,
    dueMs: (job, nowMs) => (isEnding(job) ? undefined : upTo(deadlineOf(job as DeepReadonly<Job>), nowMs)),
    termsOf: (job) => deadlineOf(job as DeepReadonly<Job>),
    needsSeveral: true,
    restMs: 30_000,
  },
  {
    // https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#token-management-with-kubeadm
    id: 'due/bootstrap-token-expires',
    says: 'a bootstrap token is deleted when it expires',
    controller: 'tokencleaner',
    kind: secrets,
    dueMs: (secret, nowMs) => {
      const { type, metadata } = secret as DeepReadonly<Secret>;
      if (type !== secretTypes.bootstrapToken || metadata?.namespace !== namespaces.system) return undefined;
      return isEnding(secret) ? undefined : upTo(expiryOf(secret as DeepReadonly<Secret>), nowMs);
    },
    termsOf: (secret) => expiryOf(secret as DeepReadonly<Secret>),
    restMs: 5_000,
  },
  {
    // https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#request-signing-process
    id: 'due/certificate-request-expires',
    says: 'a CertificateSigningRequest is deleted at the age that its state allows',
    controller: 'csrcleaner',
    kind: certificateSigningRequests,
    dueMs: (request, nowMs) =>
      isEnding(request)
        ? undefined
        : upTo(endOfLife(request as DeepReadonly<CertificateSigningRequest>), nowMs),
    termsOf: (request) => endOfLife(request as DeepReadonly<CertificateSigningRequest>),
    restMs: 10_000,
  },
];

/** Returns the latest time of a CronJob's schedule that must have started a Job by now. */
function unstartedMs(
  cronJob: DeepReadonly<CronJob>,
  vocabulary: Vocabulary,
  nowMs: number,
  sinceMs: number,
): number | undefined {
  const { spec, status, metadata } = cronJob;
  if (spec?.suspend === true || isEnding(cronJob)) return undefined;
  const isBlocked = spec?.concurrencyPolicy === 'Forbid' && (status?.active ?? []).length > 0;
  if (isBlocked) return undefined;
  const lastMs = fromTime(status?.lastScheduleTime ?? metadata?.creationTimestamp) ?? 0;
  const { atMs } = scheduleOf(cronJob, vocabulary).latest(Math.max(lastMs, sinceMs), nowMs);
  const { startingDeadlineSeconds: seconds = Infinity } = spec ?? {};
  // The deadline leaves the same tolerance on this side.
  return atMs !== undefined && atMs + Number(seconds) * SECOND_MS > nowMs + 2 * TOLERANCE_MS
    ? atMs
    : undefined;
}

/**
 * Tolerance in milliseconds. A controller estimates the server's time from responses, and is behind by as much as the
 * slowest response took.
 */
export const TOLERANCE_MS = 65_000;

/** Returns the fields of release 1.24 that make objects due. */
export const dueTimes = (vocabulary: Vocabulary): readonly DueTime[] => [
  ...expirations(vocabulary),
  {
    // https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-suspension
    id: 'due/scheduled-run-starts',
    says: 'a reconcile starts the latest due run of a CronJob, whatever other fields were edited since',
    controller: 'cronjob',
    kind: cronJobs,
    dueMs: (cronJob, nowMs, sinceMs) =>
      unstartedMs(cronJob as DeepReadonly<CronJob>, vocabulary, nowMs, sinceMs),
    termsOf: (cronJob) => [(cronJob as DeepReadonly<CronJob>).spec, isEnding(cronJob)],
    restartOf: (cronJob) => {
      const { schedule, timeZone } = (cronJob as DeepReadonly<CronJob>).spec ?? {};
      return [schedule, timeZone, cronJob.metadata?.annotations];
    },
  },
];
