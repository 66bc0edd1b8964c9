import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { CronJob, Job } from '../../../api/types/batch-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { fromTime } from '../../../base/clock/index.ts';
import { SECOND_MS, TOLERANCE_MS, isEnding } from '../../oracles/due/due-time.ts';
import type { ControllerFacts } from '../facts.ts';
import { calendarOf } from './calendar.ts';
import { cronJobEvents } from './claims.ts';

function finishedAs({ status, metadata }: DeepReadonly<Job>): string | undefined {
  if (metadata?.deletionTimestamp !== undefined || status?.startTime === undefined) return undefined;
  return status.conditions?.find(
    ({ type, status: is }) => is === 'True' && (type === 'Complete' || type === 'Failed'),
  )?.type;
}

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
  const atMs = calendarOf(cronJob, vocabulary).latest(Math.max(lastMs, sinceMs), nowMs);
  const { startingDeadlineSeconds: seconds = Infinity } = spec ?? {};
  // The deadline leaves the same tolerance on this side.
  return atMs !== undefined && atMs + Number(seconds) * SECOND_MS > nowMs + 2 * TOLERANCE_MS
    ? atMs
    : undefined;
}

/** Documented facts about the controller `cronjob` in release 1.24. */
export const cronJobFacts = (vocabulary: Vocabulary): ControllerFacts => ({
  preferences: [
    {
      // https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#jobs-history-limits
      id: 'choice/cronjob-keeps-newest',
      says: 'of the finished Jobs of a CronJob, the history limits delete the oldest',
      owners: cronJobs,
      dependents: jobs,
      classOf: (object) => finishedAs(object as DeepReadonly<Job>),
      rankOf: (object) => fromTime((object as DeepReadonly<Job>).status?.startTime) ?? 0,
    },
  ],
  dueTimes: [
    {
      // https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-suspension
      id: 'due/scheduled-run-starts',
      says: 'a reconcile starts the latest due run of a CronJob, whatever other fields were edited since',
      kind: cronJobs,
      dueMs: (cronJob, nowMs, sinceMs) =>
        unstartedMs(cronJob as DeepReadonly<CronJob>, vocabulary, nowMs, sinceMs),
      termsOf: (cronJob) => [(cronJob as DeepReadonly<CronJob>).spec, isEnding(cronJob)],
      restartOf: (cronJob) => {
        const { schedule, timeZone } = (cronJob as DeepReadonly<CronJob>).spec ?? {};
        return [schedule, timeZone, cronJob.metadata?.annotations];
      },
    },
  ],
  events: cronJobEvents,
});
