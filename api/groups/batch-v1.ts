import { defineKind } from '../kinds/kind.ts';
import { CHANGE, UNCHECKED } from '../kinds/policy.ts';
import { CronJob, Job } from '../types/batch-v1.ts';
import { cronJobColumns, cronJobStrategy, cronJobSubresources } from './batch/cron-job.ts';
import { jobColumns, jobFields, jobStrategy, jobSubresources } from './batch/job.ts';

const batch = {
  group: 'batch',
  version: 'v1',
  categories: ['all'],
  namespaced: true,
  generation: true,
} as const;

/** Kind `CronJob` of `batch/v1`. */
export const cronJobs = defineKind<CronJob>({
  ...batch,
  kind: 'CronJob',
  plural: 'cronjobs',
  shortNames: ['cj'],
  schema: CronJob,
  strategy: cronJobStrategy,
  subresources: cronJobSubresources,
  columns: cronJobColumns,
  policy: { sharesItems: true, rechecks: CHANGE, statusRechecks: UNCHECKED },
});

/** Kind `Job` of `batch/v1`. */
export const jobs = defineKind<Job>({
  ...batch,
  kind: 'Job',
  plural: 'jobs',
  schema: Job,
  strategy: jobStrategy,
  subresources: jobSubresources,
  columns: jobColumns,
  selectableFields: jobFields,
  selectorKind: 'batchv1.Job',
  policy: {
    dependents: 'orphan',
    sharesItems: true,
    deletionWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them ' +
      'or set propagationPolicy=Orphan to suppress this warning',
  },
});
