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
  wordOf,
} from '../schema/schema.ts';
import { typeMeta } from './type-meta.ts';
import { ObjectReference } from './core-v1.ts';
import { PodTemplateSpec } from './core-v1-pod.ts';
import { LabelSelector, ObjectMeta } from './meta-v1.ts';

/** Spec of a Job. */
export const JobSpec = struct('api.batch.v1.JobSpec', {
  parallelism: optional(1, int32),
  completions: optional(2, int32),
  activeDeadlineSeconds: optional(3, int64),
  backoffLimit: optional(7, int32),
  selector: optional(4, ref<LabelSelector>(LabelSelector)),
  manualSelector: optional(5, boolean),
  template: required(6, ref<PodTemplateSpec>(PodTemplateSpec)),
  ttlSecondsAfterFinished: optional(8, int32),
  completionMode: optional(9, oneOf('Indexed', 'NonIndexed')),
  suspend: optional(10, boolean),
});
export interface JobSpec extends Infer<typeof JobSpec> {}

/** Template of the Jobs that a CronJob creates. */
export const JobTemplateSpec = struct('api.batch.v1.JobTemplateSpec', {
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<JobSpec>(JobSpec)),
});
export interface JobTemplateSpec extends Infer<typeof JobTemplateSpec> {}

/** Spec of a CronJob: its schedule and the template of its Jobs. */
export const CronJobSpec = struct('api.batch.v1.CronJobSpec', {
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

/** Status of a CronJob: its active Jobs and the last times of its schedule. */
export const CronJobStatus = struct('api.batch.v1.CronJobStatus', {
  active: value(1, listOf(ref<ObjectReference>(ObjectReference)), { listType: 'atomic' }),
  lastScheduleTime: optional(4, time),
  lastSuccessfulTime: optional(5, time),
});
export interface CronJobStatus extends Infer<typeof CronJobStatus> {}

/** Kind CronJob: creates Jobs at the times of a schedule. */
export const CronJob = struct('api.batch.v1.CronJob', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<CronJobSpec>(CronJobSpec)),
  status: value(3, ref<CronJobStatus>(CronJobStatus)),
});
export interface CronJob extends Infer<typeof CronJob> {}

/** Condition of a Job. */
export const JobCondition = struct('api.batch.v1.JobCondition', {
  type: required(1, string),
  status: required(2, wordOf('False', 'True', 'Unknown')),
  lastProbeTime: value(3, time),
  lastTransitionTime: value(4, time),
  reason: value(5, string),
  message: value(6, string),
});
export interface JobCondition extends Infer<typeof JobCondition> {}

/** UIDs of the terminated pods that the counters of a Job's status do not include yet. */
export const UncountedTerminatedPods = struct('api.batch.v1.UncountedTerminatedPods', {
  succeeded: value(1, listOf(string), { listType: 'set' }),
  failed: value(2, listOf(string), { listType: 'set' }),
});
export interface UncountedTerminatedPods extends Infer<typeof UncountedTerminatedPods> {}

/** Status of a Job: the numbers of its pods, its conditions and times. */
export const JobStatus = struct('api.batch.v1.JobStatus', {
  conditions: value(1, listOf(ref<JobCondition>(JobCondition)), {
    listType: 'atomic',
    patchStrategy: ['merge'],
    patchMergeKey: 'type',
  }),
  startTime: optional(2, time),
  completionTime: optional(3, time),
  active: value(4, int32),
  succeeded: value(5, int32),
  failed: value(6, int32),
  completedIndexes: value(7, string),
  uncountedTerminatedPods: optional(8, ref<UncountedTerminatedPods>(UncountedTerminatedPods)),
  ready: optional(9, int32),
});
export interface JobStatus extends Infer<typeof JobStatus> {}

/** Kind Job: runs pods until a number of them have succeeded. */
export const Job = struct('api.batch.v1.Job', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref<JobSpec>(JobSpec)),
  status: value(3, ref<JobStatus>(JobStatus)),
});
export interface Job extends Infer<typeof Job> {}
