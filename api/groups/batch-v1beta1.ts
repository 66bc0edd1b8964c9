import { defineVersion, sameShape } from '../conversion/version.ts';
import type { CronJob as StoredCronJob } from '../types/batch-v1.ts';
import { CronJob } from '../types/batch-v1beta1.ts';
import { cronJobs } from './batch-v1.ts';

/** Kind `CronJob` of `batch/v1beta1`. */
export const cronJobsV1beta1 = defineVersion<StoredCronJob, StoredCronJob>(cronJobs, {
  version: 'v1beta1',
  schema: CronJob,
  conversion: sameShape(),
  deprecated: {
    since: '1.21',
    removedRelease: '1.25',
    replacement: { group: 'batch', version: 'v1', kind: 'CronJob' },
  },
});
