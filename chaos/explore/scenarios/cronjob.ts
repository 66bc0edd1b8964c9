import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import type { CronJob } from '../../../api/types/batch-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import { cronJobInvariants } from '../../invariants/cronjob.ts';
import { deletes, inGroups, planted, updates } from '../actions.ts';
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

/** CronJobs of different policies, due twice; Jobs end and are deleted, the user suspends. */
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
  const [first = 'a'] = names;
  const changes = [
    deletes(`Job ${jobName(first, NOON)} is deleted`, jobs, namespace, jobName(first, NOON)),
    updates('the user suspends it', cronJobs, namespace, first, ({ spec }) =>
      spec ? { spec: { ...spec, suspend: true } } : undefined,
    ),
  ];
  return {
    controller: 'cronjob',
    instants: [NOON - MINUTE, ...dues.map((ms) => ms + JUST_AFTER)],
    ...inGroups(
      names.map((name, at) => ({
        objects: [planted(cronJobs, cronJob(name, policies[at] ?? 'Allow'))],
        actions: [...dues.map((dueMs) => ends(jobName(name, dueMs))), ...(at === 0 ? changes : [])],
      })),
    ),
    invariants: cronJobInvariants,
  };
}
