import { cronJobs } from '../../api/groups/batch-v1.ts';
import { objectRule } from '../../runtime/index.ts';
import { cronJobName, dueText, isScheduled, overdueOf } from './schedules.ts';

/** A run normally starts within seconds of its due time. */
const START_MS = 30_000;

/** CronJob that did not start a run that was due. */
export const cronJobMissed = objectRule({
  reason: 'run-missed',
  controller: 'cronjob',
  kind: cronJobs,
  patienceMs: START_MS,
  restarts: true,
  applies: isScheduled,
  find(cronJob, facts, seenMs) {
    const overdue = overdueOf(cronJob, facts, seenMs);
    const { concurrencyPolicy, startingDeadlineSeconds } = cronJob.spec ?? {};
    // Another rule names the Job that blocks the run.
    if (overdue === undefined || (concurrencyPolicy === 'Forbid' && overdue.active !== undefined))
      return undefined;
    const { sinceMs, dueMs } = overdue;
    const name = cronJobName(cronJob);
    if (startingDeadlineSeconds === undefined)
      return { sinceMs, sentence: `${name} has not started its run of ${dueText(dueMs)}.` };
    const seconds = Number(startingDeadlineSeconds);
    const isLost = facts.nowMs - dueMs > seconds * 1_000;
    return {
      sinceMs,
      sentence: isLost
        ? `${name} missed its run of ${dueText(dueMs)}: it did not start within its startingDeadlineSeconds of ${seconds} s.`
        : `${name} has not started its run of ${dueText(dueMs)}.`,
    };
  },
});
