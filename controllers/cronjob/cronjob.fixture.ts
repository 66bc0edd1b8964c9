import { cronJobs, jobs } from '../../api/groups/batch-v1.ts';
import { events } from '../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { CronJobSpec, Job, JobSpec } from '../../api/types/batch-v1.ts';
import { dialectKey } from '../../api/groups/batch/schedule.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../base/clock/clock.ts';
import { useWorld } from '../../test/world/use-world.ts';
import type { WorldOptions } from '../../test/world/world.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Annotations of a CronJob in the extended dialect. */
export const extendedDialect = { [dialectKey(orchVocabulary)]: 'extended' };

/**
 * Returns the due time in the name of a Job. A number of ten digits counts seconds since the epoch, other
 * numbers count minutes.
 */
export const dueMsOf = (jobName: string): number => {
  const number = /\d+$/.exec(jobName)?.[0] ?? '';
  return Number(number) * (number.length === 10 ? SECOND : MINUTE);
};

export const jobSpec: JobSpec = {
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
};

/** Starts a world with the CronJob controller and without a Job controller: the test itself finishes Jobs. */
export async function startCronJobs(options: WorldOptions = {}) {
  const world = await useWorld({ controllers: ['cronjob'], ...options });
  const own = world.client.namespaced(cronJobs, 'team');
  const ran = world.client.namespaced(jobs, 'team');
  const created: { readonly name: string; readonly atMs: number }[] = [];
  void (async () => {
    // The server ends each watch after a while. The next watch resumes from the last version.
    for (let resourceVersion = '0'; ;)
      for await (const { type, object } of ran.watch({ resourceVersion })) {
        resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
        if (type === 'ADDED') created.push({ name: object.metadata?.name ?? '', atMs: world.clock.now() });
      }
  })().catch(() => {});
  return {
    ...world,
    own,
    ran,
    /** Jobs created since the start, in order. */
    created,
    /** Returns the due times of all Jobs of a CronJob created so far, read from the names of the Jobs. */
    dueTimes: (name = 'tick') =>
      created.filter((each) => each.name.startsWith(`${name}-`)).map((each) => dueMsOf(each.name)),
    create: (
      spec: Partial<CronJobSpec> = {},
      name = 'tick',
      annotations?: { readonly [key: string]: string },
    ) =>
      own.create({
        metadata: { name, ...(annotations && { annotations: { ...annotations } }) },
        spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec }, ...spec },
      }),
    get: (name = 'tick') => own.get(name),
    change: (spec: Partial<CronJobSpec>, name = 'tick') => own.patch(name, 'merge', { spec }),
    unfinished: async () =>
      (await ran.list()).items.filter((job) => (job.status?.conditions ?? []).length === 0),
    finish: async (job: DeepReadonly<Job>, type: 'Complete' | 'Failed' = 'Complete') =>
      ran.subresource('status').update({
        ...job,
        status: {
          startTime: job.metadata?.creationTimestamp ?? '',
          ...(type === 'Complete' ? { completionTime: toTime(world.clock.now()), succeeded: 1 } : {}),
          conditions: [{ type, status: 'True' }],
        },
      }),
    eventsOf: async (reason: string) =>
      (await world.client.namespaced(events, 'team').list()).items.filter((each) => each.reason === reason),
  };
}

export const utc = (text: string): number => Date.parse(`${text}Z`);
export const times = (...texts: string[]): number[] => texts.map(utc);
