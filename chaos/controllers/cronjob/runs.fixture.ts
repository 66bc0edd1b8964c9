import { cronJobs } from '../../../api/groups/batch-v1.ts';
import { dialectKey } from '../../../api/groups/batch/schedule.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import type { ProcessEntry } from '../../invariants/invariant.ts';
import { HOUR, cronJob, turns } from '../../invariants/histories/objects.fixture.ts';

export const minutes = (hour: number): string => `report-${hour * 60}`;

export const scheduled = (hour: number) => cronJob({}, { lastScheduleTime: toTime(hour * HOUR) });

export const born = { creationTimestamp: toTime(0) };
/** Metadata fields of a second CronJob. */
export const another = { name: 'another', uid: 'another' };
export const rescheduled = (atMs: number) =>
  turns('user', cronJobs, cronJob({ schedule: '0 0 1 1 *' }, {}, born), cronJob({}, {}, born), { atMs });

export const KEY = 'team/report';
export const enqueued =
  (resource: string) =>
  (atMs: number, process = 'one'): ProcessEntry => ({
    process,
    atMs,
    wallMs: atMs,
    event: {
      kind: 'enqueued',
      controller: 'cronjob',
      key: KEY,
      cause: { type: 'ADDED', resource, object: KEY },
    },
  });
export const ran = enqueued('jobs.batch');
/** Noon of 2 March 2026 in milliseconds. CronJobs in the extended dialect run at seconds after it. */
export const NOON = Date.UTC(2026, 2, 2, 12);
export const atSecond = (second: number): string => `report-${NOON / 1_000 + second}`;
export const extended = (schedule: string, second?: number) =>
  cronJob(
    { schedule, timeZone: 'Etc/UTC' },
    second === undefined ? {} : { active: [{ name: atSecond(second) }] },
    { annotations: { [dialectKey(orchVocabulary)]: 'extended' } },
  );
