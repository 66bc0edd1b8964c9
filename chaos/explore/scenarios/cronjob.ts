import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import type { CronJob, Job } from '../../../api/types/batch-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import { cronJobInvariants } from '../../invariants/cronjob.ts';
import { resourceOf } from '../../invariants/invariant.ts';
import { deletes, inGroups, planted, sharedOut, updates } from '../actions.ts';
import { HOUR, MINUTE, NOON } from '../instants.ts';
import { uidOf } from '../model-store.ts';
import type { Action, Scenario } from '../world.ts';

const namespace = 'team';
/** A little past each full hour, when what is due then has come up. */
const JUST_AFTER = 1_000;

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
    jobTemplate: { spec: { template: {} } },
    ...spec,
  },
  status: {},
});

const jobName = (cronJob: string, dueMs: number): string => `${cronJob}-${dueMs / MINUTE}`;

/** A Job ends, as the Job controller says it. */
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
 * CronJobs of different policies, due twice. The user deletes a Job and suspends a CronJob: of two each to another. Under
 * Allow Jobs run on, so that there are several at once; those of the others end.
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
    invariants: cronJobInvariants,
  };
}

/** CronJobs with more Jobs that have ended than they keep: those go before the next is due, or in the pass that makes it. */
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
        // Made anew since they were due: of what was due before nobody has seen what came of it.
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
    invariants: cronJobInvariants,
  };
}

/** CronJobs that are due for the last time in more than five years: on the 29th of February before a year that has none. */
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
    invariants: cronJobInvariants,
  };
}

/** CronJobs of which a due time is claimed, by somebody who has died before the Job was made. */
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
    invariants: cronJobInvariants,
  };
}

/** Suspended CronJobs that the user lets go on, before or after they are due. */
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
          updates('the user lets it go on', cronJobs, namespace, name, ({ spec }) =>
            spec?.suspend ? { spec: { ...spec, suspend: false } } : undefined,
          ),
        ],
      })),
    ),
    invariants: cronJobInvariants,
  };
}

/** CronJobs under Replace that have missed more than a hundred due times; what runs may no longer give way by the next. */
export function replacedJobScenario(vocabulary: Vocabulary, objects: number): Scenario {
  return {
    controller: 'cronjob',
    instants: [NOON + JUST_AFTER, NOON + HOUR + JUST_AFTER],
    ...inGroups(
      ['a', 'b', 'c'].slice(0, objects).map((name) => ({
        objects: [planted(cronJobs, cronJobOf(vocabulary, name, 'Replace', NOON - 200 * HOUR))],
        actions: [
          ends(jobName(name, NOON)),
          updates('the user forbids it', cronJobs, namespace, name, ({ spec }) =>
            spec?.concurrencyPolicy === 'Replace'
              ? { spec: { ...spec, concurrencyPolicy: 'Forbid' as const } }
              : undefined,
          ),
        ],
      })),
    ),
    invariants: cronJobInvariants,
  };
}

/** CronJobs under Forbid with a Job that runs when the next is due, and ends at some time; it is looked at them once more later. */
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
    invariants: cronJobInvariants,
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
  spec: { template: {} },
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
