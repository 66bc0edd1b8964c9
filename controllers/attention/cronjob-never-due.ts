import { cronJobs } from '../../api/groups/batch-v1.ts';
import { objectRule } from '../../runtime/index.ts';
import { cronJobName, isScheduled, scheduleOf } from './schedules.ts';

/** CronJob whose schedule never fires. */
export const cronJobNeverDue = objectRule({
  reason: 'schedule-never-fires',
  controller: 'cronjob',
  kind: cronJobs,
  patienceMs: 0,
  restarts: true,
  applies: isScheduled,
  find(cronJob, { vocabulary, nowMs }) {
    const schedule = scheduleOf(cronJob, vocabulary);
    if (schedule === undefined)
      return {
        sentence: `${cronJobName(cronJob)} never runs: its schedule "${cronJob.spec?.schedule ?? ''}" is invalid.`,
      };
    if (schedule.next(nowMs) !== undefined) return undefined;
    return {
      sentence: `${cronJobName(cronJob)} never runs: its schedule "${cronJob.spec?.schedule ?? ''}" has no due time in the next five years.`,
    };
  },
});
