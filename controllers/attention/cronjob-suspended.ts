import { cronJobs } from '../../api/groups/batch-v1.ts';
import { objectRule } from '../../runtime/index.ts';
import { cronJobName } from './schedules.ts';

/** CronJob that skips its runs because it is suspended. */
export const cronJobSuspended = objectRule({
  reason: 'suspended',
  controller: 'cronjob',
  kind: cronJobs,
  patienceMs: 0,
  applies: ({ metadata, spec }) => spec?.suspend === true && metadata?.deletionTimestamp === undefined,
  find: (cronJob) => ({
    sentence: `${cronJobName(cronJob)} is suspended and skips its runs until spec.suspend is false.`,
  }),
});
