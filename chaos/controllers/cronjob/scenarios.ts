import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import { dialectKey } from '../../../api/groups/batch/index.ts';
import type { CronJob, Job } from '../../../api/types/batch-v1.ts';
import type { PodTemplateSpec } from '../../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { toTime } from '../../../base/clock/index.ts';
import { cronJobInvariants } from './invariants.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { deletes, inGroups, planted, sharedOut, updates } from '../../explore/actions.ts';
import { HOUR, MINUTE, NOON } from '../../explore/instants.ts';
import { uidOf } from '../../explore/model-store.ts';
import type { Action, Scenario } from '../../explore/scenario.ts';

const namespace = 'team';
/** Delay in milliseconds after each full hour. The due run has been enqueued by then. */
const JUST_AFTER = 1_000;
const SECOND = 1_000;

/** Pods that the server accepts. It adds the missing fields. */
const podTemplate = {
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
} as PodTemplateSpec;

const policies = ['Forbid', 'Allow', 'Replace'] as const;

const cronJobOf = (
  vocabulary: Vocabulary,
  name: string,
  concurrencyPolicy: (typeof policies)[number],
  bornMs = NOON - 10 * MINUTE,
  spec: Partial<NonNullable<CronJob['spec']>> = {},
): CronJob => ({
  kind: 'CronJob',
  apiVersion: vocabulary.apiVersion('batch', 'v1'),
  metadata: { name, namespace, creationTimestamp: toTime(bornMs) },
  spec: {
    schedule: '0 * * * *',
    concurrencyPolicy,
    suspend: false,
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 1,
    jobTemplate: { spec: { template: podTemplate } },
    ...spec,
  },
  status: {},
});

/**
 * Schedules that are due twice at noon on Monday, 2 March 2026. That day is the nearest weekday to Sunday, 1
 * March.
 */
const twiceAtNoon = ['0,30 0 12 1W * *', '*/30 0 12 * * MON#1'] as const;

/** Returns a workload: CronJobs in the extended dialect that are due twice within a minute. */
export function extendedCronJobScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const dues = [NOON, NOON + MINUTE / 2];
  const names = ['a', 'b', 'c'].slice(0, objects);
  return {
    controller: 'cronjob',
    instants: [NOON - MINUTE, ...dues.map((ms) => ms + JUST_AFTER)],
    ...inGroups(
      names.map((name, at) => {
        const policy = policies[at] ?? 'Allow';
        const schedule = twiceAtNoon[at % twiceAtNoon.length] ?? '';
        const cronJob = cronJobOf(vocabulary, name, policy, NOON - 10 * MINUTE, { schedule });
        const annotations = { [dialectKey(vocabulary)]: 'extended' };
        return {
          objects: [planted(cronJobs, { ...cronJob, metadata: { ...cronJob.metadata, annotations } })],
          actions: policy === 'Allow' ? [] : dues.map((dueMs) => ends(`${name}-${dueMs / SECOND}`)),
        };
      }),
    ),
    invariants: cronJobInvariants(vocabulary),
  };
}

const jobName = (cronJob: string, dueMs: number): string => `${cronJob}-${dueMs / MINUTE}`;

/** Returns the action that completes a Job, as the Job controller does. */
const ends = (name: string): Action =>
  updates(
    `Job ${name} ends`,
    jobs,
    namespace,
    name,
    (job, nowMs) =>
      job.status?.conditions
        ? undefined
        : {
            status: {
              startTime: job.metadata?.creationTimestamp ?? '',
              completionTime: toTime(nowMs),
              conditions: [{ type: 'Complete', status: 'True' as const }],
            },
          },
    { subresource: 'status', progress: true },
  );

/**
 * Returns a workload: CronJobs with different policies that are due twice. The user deletes a Job and
 * suspends a CronJob.
 *
 * Under Allow, Jobs keep running, so that several run at the same time. Under the other policies Jobs may
 * end.
 */
export function cronJobScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const names = ['a', 'b', 'c'].slice(0, objects);
  const dues = [NOON, NOON + HOUR];
  const changes = [
    (name: string) => deletes(`Job ${jobName(name, NOON)} is deleted`, jobs, namespace, jobName(name, NOON)),
    (name: string) =>
      updates('the user suspends it', cronJobs, namespace, name, ({ spec }) =>
        spec ? { spec: { ...spec, suspend: true } } : undefined,
      ),
  ];
  return {
    controller: 'cronjob',
    instants: [NOON - MINUTE, ...dues.map((ms) => ms + JUST_AFTER)],
    ...inGroups(
      names.map((name, at) => ({
        objects: [planted(cronJobs, cronJobOf(vocabulary, name, policies[at] ?? 'Allow'))],
        actions: [
          ...(policies[at] === 'Allow' ? [] : dues.map((dueMs) => ends(jobName(name, dueMs)))),
          ...sharedOut(changes, objects, at).map((change) => change(name)),
        ],
      })),
    ),
    invariants: cronJobInvariants(vocabulary),
  };
}

/**
 * Returns a workload: CronJobs with more finished Jobs than their history limit. Jobs are deleted before the
 * next run or in the same reconcile.
 */
export function cleanedJobScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const ended = [NOON - 2 * HOUR, NOON - HOUR];
  const status = {
    lastScheduleTime: toTime(NOON - HOUR),
    lastSuccessfulTime: toTime(NOON - HOUR + MINUTE),
  };
  return {
    controller: 'cronjob',
    instants: [NOON - MINUTE, NOON + JUST_AFTER],
    ...inGroups(
      ['a', 'b', 'c'].slice(0, objects).map((name) => {
        // The CronJob was recreated after these runs were due, so no earlier run counts as observed.
        const cronJob = cronJobOf(vocabulary, name, 'Forbid');
        return {
          objects: [
            planted(cronJobs, { ...cronJob, status }),
            ...ended.map((dueMs) => planted(jobs, endedJob(vocabulary, name, dueMs))),
          ],
          actions: [],
        };
      }),
    ),
    invariants: cronJobInvariants(vocabulary),
  };
}

/**
 * Returns a workload: CronJobs whose next run but one is more than five years ahead. They run on 29 February,
 * and the century year after the next run is not a leap year.
 */
export function lastJobScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const dueMs = Date.UTC(2096, 1, 29);
  return {
    controller: 'cronjob',
    instants: [dueMs + JUST_AFTER],
    ...inGroups(
      ['a', 'b', 'c'].slice(0, objects).map((name) => ({
        objects: [
          planted(cronJobs, cronJobOf(vocabulary, name, 'Allow', dueMs - HOUR, { schedule: '0 0 29 2 *' })),
        ],
        actions: [],
      })),
    ),
    invariants: cronJobInvariants(vocabulary),
  };
}

/**
 * Returns a workload: CronJobs with a claimed run. The process that claimed it crashed before it created the
 * Job.
 */
export function claimedJobScenario(vocabulary: Vocabulary, objects: number): Scenario {
  return {
    controller: 'cronjob',
    instants: [NOON + JUST_AFTER],
    ...inGroups(
      ['a', 'b', 'c'].slice(0, objects).map((name) => {
        const status = { lastScheduleTime: toTime(NOON), active: [{ name: jobName(name, NOON) }] };
        return {
          objects: [planted(cronJobs, { ...cronJobOf(vocabulary, name, 'Forbid'), status })],
          actions: [],
        };
      }),
    ),
    invariants: cronJobInvariants(vocabulary),
  };
}

/** Returns a workload: suspended CronJobs that the user resumes before or after a run is due. */
export function resumedCronJobScenario(vocabulary: Vocabulary, objects: number): Scenario {
  return {
    controller: 'cronjob',
    instants: [NOON - MINUTE, NOON + JUST_AFTER],
    ...inGroups(
      ['a', 'b', 'c'].slice(0, objects).map((name) => ({
        objects: [
          planted(cronJobs, cronJobOf(vocabulary, name, 'Allow', NOON - 10 * MINUTE, { suspend: true })),
        ],
        actions: [
          updates('the user resumes it', cronJobs, namespace, name, ({ spec }) =>
            spec?.suspend ? { spec: { ...spec, suspend: false } } : undefined,
          ),
        ],
      })),
    ),
    invariants: cronJobInvariants(vocabulary),
  };
}

/**
 * Returns a workload: CronJobs under Replace that missed more than 100 runs. A change to Forbid may protect
 * the running Job.
 */
export function replacedJobScenario(vocabulary: Vocabulary, objects: number): Scenario {
  return {
    controller: 'cronjob',
    instants: [NOON + JUST_AFTER, NOON + HOUR + JUST_AFTER],
    ...inGroups(
      ['a', 'b', 'c'].slice(0, objects).map((name) => ({
        objects: [planted(cronJobs, cronJobOf(vocabulary, name, 'Replace', NOON - 200 * HOUR))],
        actions: [
          ends(jobName(name, NOON)),
          updates('the user sets Forbid', cronJobs, namespace, name, ({ spec }) =>
            spec?.concurrencyPolicy === 'Replace'
              ? { spec: { ...spec, concurrencyPolicy: 'Forbid' as const } }
              : undefined,
          ),
        ],
      })),
    ),
    invariants: cronJobInvariants(vocabulary),
  };
}

/**
 * Returns a workload: CronJobs under Forbid with a Job that still runs when the next run is due, and ends at
 * some time. At a later instant the missed run can start.
 */
export function blockedJobScenario(vocabulary: Vocabulary, objects: number): Scenario {
  const dues = [NOON, NOON + HOUR];
  return {
    controller: 'cronjob',
    instants: [NOON + HOUR + JUST_AFTER, NOON + HOUR + MINUTE],
    ...inGroups(
      ['a', 'b', 'c'].slice(0, objects).map((name) => {
        const running = jobName(name, NOON);
        const uid = uidOf(resourceOf(jobs), running, 1);
        const status = { lastScheduleTime: toTime(NOON), active: [{ name: running, uid }] };
        return {
          objects: [
            planted(cronJobs, { ...cronJobOf(vocabulary, name, 'Forbid'), status }),
            planted(jobs, runningJob(vocabulary, name, NOON)),
          ],
          actions: dues.map((dueMs) => ends(jobName(name, dueMs))),
        };
      }),
    ),
    invariants: cronJobInvariants(vocabulary),
  };
}

const runningJob = (vocabulary: Vocabulary, owner: string, dueMs: number): Job => ({
  kind: 'Job',
  apiVersion: vocabulary.apiVersion('batch', 'v1'),
  metadata: {
    name: jobName(owner, dueMs),
    namespace,
    creationTimestamp: toTime(dueMs),
    ownerReferences: [
      {
        apiVersion: vocabulary.apiVersion('batch', 'v1'),
        kind: 'CronJob',
        name: owner,
        uid: uidOf(resourceOf(cronJobs), owner, 1),
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  spec: { template: podTemplate },
  status: { startTime: toTime(dueMs) },
});

const endedJob = (vocabulary: Vocabulary, owner: string, dueMs: number): Job => ({
  ...runningJob(vocabulary, owner, dueMs),
  status: {
    startTime: toTime(dueMs),
    completionTime: toTime(dueMs + MINUTE),
    conditions: [{ type: 'Complete', status: 'True' }],
  },
});
