import { atVersion } from '../schema/at-version.ts';
import * as stable from './batch-v1.ts';

const types = atVersion('v1beta1', {
  JobTemplateSpec: stable.JobTemplateSpec,
  CronJobSpec: stable.CronJobSpec,
  CronJobStatus: stable.CronJobStatus,
  CronJob: stable.CronJob,
});

/** Kind CronJob: creates Jobs at the times of a schedule. */
export const CronJob = types.CronJob;
export type CronJob = stable.CronJob;
