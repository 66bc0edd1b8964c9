import { cronJobs } from '../../api/groups/batch-v1.ts';
import { nameOf, objectRule } from '../../runtime/index.ts';
import { cronJobName, dueText, isScheduled, overdueOf } from './schedules.ts';

/** CronJob that forbids concurrent runs and waits for an unfinished Job. */
export const cronJobBlocked = objectRule({
  reason: 'job-unfinished',
  controller: 'cronjob',
  kind: cronJobs,
  patienceMs: 30_000,
  restarts: true,
  applies: (cronJob) =>
    isScheduled(cronJob) &&
    cronJob.spec?.concurrencyPolicy === 'Forbid' &&
    (cronJob.status?.active ?? []).length > 0,
  find(cronJob, facts) {
    const overdue = overdueOf(cronJob, facts, 0);
    if (overdue?.active === undefined) return undefined;
    return {
      sinceMs: overdue.sinceMs,
      blocker: overdue.active,
      sentence: `${cronJobName(cronJob)} skips its runs, the last one due at ${dueText(overdue.dueMs)}, until ${nameOf(overdue.active)} finishes, because its concurrencyPolicy is Forbid.`,
    };
  },
});
