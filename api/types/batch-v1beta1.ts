import {
  type Infer,
  boolean,
  int32,
  int64,
  listOf,
  oneOf,
  optional,
  ref,
  required,
  string,
  struct,
  time,
  value,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { JobSpec } from './batch-v1.ts';
import { ObjectReference } from './core-v1.ts';
import { ObjectMeta } from './meta-v1.ts';

/** Template of the Jobs that a CronJob creates. */
export const JobTemplateSpec = struct('api.batch.v1beta1.JobTemplateSpec', {
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<JobSpec>(JobSpec)),
});
export interface JobTemplateSpec extends Infer<typeof JobTemplateSpec> {}

/** A schedule with the Job that is created by it. */
export const CronJobSpec = struct('api.batch.v1beta1.CronJobSpec', {
  schedule: required(1, string),
  timeZone: optional(8, string),
  startingDeadlineSeconds: optional(2, int64),
  concurrencyPolicy: value(3, oneOf('Allow', 'Forbid', 'Replace')),
  suspend: optional(4, boolean),
  jobTemplate: required(5, ref<JobTemplateSpec>(JobTemplateSpec)),
  successfulJobsHistoryLimit: optional(6, int32),
  failedJobsHistoryLimit: optional(7, int32),
});
export interface CronJobSpec extends Infer<typeof CronJobSpec> {}

/** Last observed state of the schedule. */
export const CronJobStatus = struct('api.batch.v1beta1.CronJobStatus', {
  active: value(1, listOf(ref<ObjectReference>(ObjectReference)), { listType: 'atomic' }),
  lastScheduleTime: optional(4, time),
  lastSuccessfulTime: optional(5, time),
});
export interface CronJobStatus extends Infer<typeof CronJobStatus> {}

/** Creates Jobs at the times of a schedule. */
export const CronJob = struct('api.batch.v1beta1.CronJob', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<CronJobSpec>(CronJobSpec)),
  status: value(3, ref<CronJobStatus>(CronJobStatus)),
});
export interface CronJob extends Infer<typeof CronJob> {}
