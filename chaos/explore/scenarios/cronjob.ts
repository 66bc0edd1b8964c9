import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import type { CronJob } from '../../../api/types/batch-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import { cronJobInvariants } from '../../invariants/cronjob.ts';
import { deletes, inGroups, planted, sharedOut, updates } from '../actions.ts';
import { HOUR, MINUTE, NOON } from '../instants.ts';
import type { Action, Scenario } from '../world.ts';

const namespace = 'team';
/** A little past each full hour, when what is due then has come up. */
const JUST_AFTER = 1_000;

const policies = ['Forbid', 'Allow', 'Replace'] as const;

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
  const cronJob = (name: string, concurrencyPolicy: (typeof policies)[number]): CronJob => ({
    kind: 'CronJob',
    apiVersion: vocabulary.apiVersion('batch', 'v1'),
    metadata: { name, namespace, creationTimestamp: toTime(NOON - 10 * MINUTE) },
    spec: {
      schedule: '0 * * * *',
      concurrencyPolicy,
      suspend: false,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: { spec: { template: {} } },
    },
    status: {},
  });
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
        objects: [planted(cronJobs, cronJob(name, policies[at] ?? 'Allow'))],
        actions: [
          ...(policies[at] === 'Allow' ? [] : dues.map((dueMs) => ends(jobName(name, dueMs)))),
          ...sharedOut(changes, objects, at).map((change) => change(name)),
        ],
      })),
    ),
    invariants: cronJobInvariants,
  };
}
