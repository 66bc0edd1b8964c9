export {
  type AnnounceInput,
  type CreateJobInput,
  type DeleteJobsInput,
  type RecordInput,
  cronJobMachine,
} from './cron-job.ts';
export { type ObservedCronJob, type ObservedJob, WAKE_DELAY_MS, mayHaveRunAt } from './plan.ts';
