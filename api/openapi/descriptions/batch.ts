import { CONDITION } from './shared.ts';
import type { Descriptions } from './texts.ts';

/** Descriptions of the group `batch`. */
export const batch = (): Descriptions => ({
  CronJob: {
    '': 'Creates Jobs at the times of a schedule.',
    spec: 'When to create which Job, and what to do when runs overlap.',
    status: 'Active Jobs, and the last times of the schedule.',
  },
  CronJobSpec: {
    '': 'A schedule with the Job that is created by it.',
    concurrencyPolicy:
      'When the last run is not done: `Allow`, the default, runs both, `Forbid` skips, `Replace` ends the old one.',
    failedJobsHistoryLimit: 'Number of failed Jobs to keep; default 1.',
    jobTemplate: 'Job that is created each time.',
    schedule: 'Times in the five fields of cron: minute, hour, day of month, month, day of week.',
    startingDeadlineSeconds: 'Seconds after its time that a run may still start; unset means any time later.',
    successfulJobsHistoryLimit: 'Number of successful Jobs to keep; default 3.',
    suspend: 'True creates no further Jobs; those that run go on, and default is false.',
    timeZone:
      'IANA name of the time zone the schedule is read in; unset means that of the controller manager.',
  },
  CronJobStatus: {
    '': 'Last observed state of the schedule.',
    active: 'Jobs that are running.',
    lastScheduleTime: 'Scheduled time of the newest Job.',
    lastSuccessfulTime: 'When a Job last succeeded.',
  },
  Job: {
    '': 'Runs pods until a number of them have succeeded.',
    spec: 'Template and number of the pods, and limits of their failures.',
    status: 'Numbers of succeeded and failed pods so far.',
  },
  JobCondition: {
    '': "One aspect of a Job's state.",
    ...CONDITION,
    lastProbeTime: 'When the condition was last checked.',
    type: '`Complete`, `Failed` or `Suspended`.',
  },
  JobSpec: {
    '': 'Desired course of a Job.',
    activeDeadlineSeconds:
      'Seconds the Job may run, counted from its start; then its pods are ended and it fails.',
    backoffLimit: 'Number of failed pods after which the Job fails; default 6.',
    completionMode:
      '`NonIndexed`, the default, counts successes; `Indexed` wants one for each index; immutable.',
    completions: 'Number of successes wanted; unset means that any success ends the Job, immutable.',
    manualSelector: 'True uses `selector` as it is; otherwise the server generates one, which is safer.',
    parallelism: 'Number of pods that may run at once; default 1, and 0 pauses the Job.',
    selector: 'Chooses the pods that count; made by the server unless `manualSelector` is set, immutable.',
    suspend: 'True ends running pods and creates none until it is false again; default false.',
    template: 'Pod to run; its restart policy must be `Never` or `OnFailure`, immutable.',
    ttlSecondsAfterFinished: 'Seconds after its end when the Job is deleted; 0 at once, unset never.',
  },
  JobStatus: {
    '': 'Progress of a Job.',
    active: 'Number of pods that are pending or running.',
    completedIndexes: 'Indexes that succeeded, with ranges such as `1,3-5,7`; only for Indexed Jobs.',
    completionTime: 'When the Job succeeded; not set when it fails.',
    conditions: 'Conditions of the Job: its end, or its suspension.',
    failed: 'Number of pods that failed.',
    ready: 'Number of pods that are ready.',
    startTime: 'When the controller began with the Job, reset when it resumes after being suspended.',
    succeeded: 'Number of pods that succeeded.',
    uncountedTerminatedPods: 'Pods that have ended and are not in the counters yet.',
  },
  JobTemplateSpec: {
    '': 'Template of the Jobs that a CronJob creates.',
    metadata: 'Labels and annotations of the Jobs.',
    spec: 'Template of the Jobs.',
  },
  UncountedTerminatedPods: {
    '': 'Pods that have ended and still await being counted, by uid.',
    failed: 'Uids of the failed ones.',
    succeeded: 'Uids of the successful ones.',
  },
});
