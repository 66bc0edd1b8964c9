import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { cronJobs, jobs } from '../../api/groups/batch-v1.ts';
import type { Stage } from '../../apiserver/http/pipeline.ts';
import { toTime } from '../../base/clock/clock.ts';
import { LONG } from '../../test/long.ts';
import { useWorld } from '../../test/world/use-world.ts';
import { DAY, HOUR, MINUTE, SECOND, dueMsOf, extendedDialect, jobSpec, utc } from './cronjob.fixture.ts';

const FROM = utc('2026-01-01T00:00:00');
const DAYS = LONG ? 365 : 7;
const COUNT = LONG ? 200 : 60;

/** Schedule of one CronJob. `isDue` computes its due times independently of the schedule parser. */
interface Plan {
  readonly schedule: string;
  readonly isDue: (day: Date) => boolean;
  readonly hour: number;
  readonly minute: number;
  /** Second of the minute at which the CronJob is due; undefined for a schedule of the standard dialect. */
  readonly second?: number;
}

/**
 * Returns the schedule of the CronJob with this number. One CronJob in fifty is daily, one in ten is weekly,
 * one in twenty uses the extended dialect. The others are monthly, distributed over the day. 200 CronJobs run
 * 4,600 times a year.
 */
function planOf(number: number): Plan {
  const minute = (number * 7) % 60;
  const hour = (number * 5) % 24;
  const at = { minute, hour };
  if (number % 50 === 0) return { ...at, schedule: `${minute} ${hour} * * *`, isDue: () => true };
  if (number % 20 === 7)
    return {
      ...at,
      second: number % 60,
      schedule: `${number % 60} ${minute} ${hour} 1W * *`,
      isDue: (day) => day.getUTCDate() === nearestToFirst(day),
    };
  if (number % 10 === 1) {
    const weekday = number % 7;
    return {
      ...at,
      schedule: `${minute} ${hour} * * ${weekday}`,
      isDue: (day) => day.getUTCDay() === weekday,
    };
  }
  const date = 1 + (number % 28);
  return { ...at, schedule: `${minute} ${hour} ${date} * *`, isDue: (day) => day.getUTCDate() === date };
}

/** Returns the day of the month of the weekday nearest to the first of the month, within the month. */
function nearestToFirst(day: Date): number {
  const first = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1)).getUTCDay();
  return first === 6 ? 3 : first === 0 ? 2 : 1;
}

function dueTimes({ isDue, hour, minute, second = 0 }: Plan): number[] {
  const days = Array.from({ length: DAYS }, (_, day) => FROM + day * DAY);
  return days
    .filter((day) => isDue(new Date(day)))
    .map((day) => day + hour * HOUR + minute * MINUTE + second * SECOND);
}

/**
 * Stage that makes a server send no bookmarks. One bookmark in every virtual minute would dominate the test's
 * work.
 */
const withoutBookmarks: Stage = {
  name: 'without bookmarks',
  run(context, next) {
    context.info.query.delete('allowWatchBookmarks');
    return next(context);
  },
};

function heapMb(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

it(
  `${COUNT} CronJobs over ${DAYS} days: every run is made once at its time, and the heap stays as it is`,
  async () => {
    // Start one minute early, so that midnight of the first day is a due time.
    const world = await useWorld({
      controllers: ['cronjob'],
      startMs: FROM - MINUTE,
      journalEntries: 10_000,
      watchSeconds: DAY / 1_000,
      assembly: { stages: [withoutBookmarks] },
    });
    const { clock, client, server } = world;
    const ran = new Map<string, number[]>();
    const finishing: Promise<unknown>[] = [];
    const status = client.namespaced(jobs, 'team').subresource('status');
    server.registry.reader(jobs).subscribe((job, previous) => {
      if (job === undefined || previous !== undefined) return;
      const name = job.metadata?.name ?? '';
      const [, owner = ''] = /^(.*)-\d+$/.exec(name) ?? [];
      ran.set(owner, [...(ran.get(owner) ?? []), dueMsOf(name)]);
      const completionTime = toTime(clock.now());
      const done = {
        startTime: completionTime,
        completionTime,
        conditions: [{ type: 'Complete', status: 'True' }],
      };
      finishing.push(status.patch(name, 'merge', { status: done }));
    });
    const plans = Array.from({ length: COUNT }, (_, number) => planOf(number));
    for (const [number, { schedule, second }] of plans.entries())
      await client.namespaced(cronJobs, 'team').create({
        metadata: {
          name: `c${number}`,
          ...(second !== undefined && { annotations: extendedDialect }),
        },
        spec: {
          schedule,
          timeZone: 'Etc/UTC',
          successfulJobsHistoryLimit: 1,
          jobTemplate: { spec: jobSpec },
        },
      });

    const heaps: number[] = [];
    for (let quarter = 0; quarter < 4; quarter++) {
      await clock.advance((DAYS * DAY) / 4);
      await Promise.all(finishing.splice(0));
      heaps.push(heapMb());
    }
    await clock.advance(MINUTE);

    const wanted = plans.map((plan, number) => [`c${number}`, dueTimes(plan)] as const);
    for (const [name, due] of wanted) expect([name, ran.get(name) ?? []]).toEqual([name, due]);
    expect(wanted.reduce((sum, [, due]) => sum + due.length, 0)).toBeGreaterThan(LONG ? 4_500 : 20);
    const left = await client.namespaced(jobs, 'team').list();
    expect(left.items.length).toBeLessThanOrEqual(COUNT);
    const [first = 0, ...later] = heaps;
    for (const heap of later) expect(heap).toBeLessThan(first + 16);
  },
  LONG ? 600_000 : 120_000,
);
