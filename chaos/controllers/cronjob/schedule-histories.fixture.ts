import { cronJobs } from '../../../api/groups/batch-v1.ts';
import { leases } from '../../../api/groups/coordination-v1.ts';
import type { ProcessEntry } from '../../invariants/invariant.ts';
import {
  HOUR,
  cronJob,
  makes,
  named,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';
import { NOON, enqueued, extended, minutes, ran, rescheduled, scheduled } from './runs.fixture.ts';

const claimed = (hour: number) => cronJob({}, { active: [{ name: minutes(hour) }] });
const starts = (atMs: number, process = 'one'): ProcessEntry => ({
  process,
  atMs,
  wallMs: atMs,
  event: 'started',
});
const shown = enqueued('cronjobs.batch');
const claims = (atMs: number) => turns('cronjob', cronJobs, cronJob({}), claimed(1), { atMs, node: 'one' });

const claimsAt = (schedule: string, second: number) =>
  turns('cronjob', cronJobs, extended(schedule), extended(schedule, second), { atMs: NOON + second * 1_000 });

const lease = (holderIdentity: string) => named('controller-manager-cronjob', { spec: { holderIdentity } });
const takesOver = (atMs: number) => turns('cronjob', leases, lease('one'), lease('two'), { atMs });

/** Histories of the invariants about schedules and time zones. */
export const scheduleHistories: readonly History[] = [
  ['cronjob/no-unscheduled-run', [claimsAt('*/30 0 12 1W * *', 10)], [claimsAt('*/30 0 12 1W * *', 30)]],
  [
    'cronjob/no-unscheduled-run',
    [claimsAt('0 0 12 2W,L * MON#2', 30)],
    [claimsAt('0 0 12 15W,L * MON#1', 0)],
  ],
  ['cronjob/local-time-matches', [claimsAt('*/30 1 12 1W * *', 0)], [claimsAt('*/30 0 12 1W * *', 30)]],
  [
    'cronjob/no-unscheduled-run',
    [turns('cronjob', cronJobs, cronJob({}), cronJob({}, { active: [{ name: 'report-61' }] }))],
    [turns('cronjob', cronJobs, cronJob({}), cronJob({}, { active: [{ name: minutes(1) }] }))],
  ],
  [
    // A process that starts after a change can only infer the change from a run that is not in the schedule.
    'cronjob/no-unscheduled-run',
    [starts(0), shown(1), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [starts(0), shown(1), rescheduled(2 * HOUR), starts(2 * HOUR), claims(2 * HOUR)],
  ],
  [
    // A running process that had not observed the CronJob knows no earlier schedule.
    'cronjob/no-unscheduled-run',
    [starts(0), shown(2 * HOUR - 1), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [starts(0), rescheduled(2 * HOUR), shown(2 * HOUR + 1), claims(2 * HOUR + 2)],
  ],
  [
    // Observations of another process and of Jobs of the same name do not count.
    'cronjob/no-unscheduled-run',
    [starts(0), starts(0, 'two'), shown(1), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [starts(0), starts(0, 'two'), shown(1, 'two'), ran(1), rescheduled(2 * HOUR), claims(2 * HOUR)],
  ],
  [
    // The process observed an earlier CronJob of the same name.
    'cronjob/no-unscheduled-run',
    [starts(0), makes('user', cronJobs, cronJob({})), shown(1), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [starts(0), shown(1), makes('user', cronJobs, cronJob({})), rescheduled(2 * HOUR), claims(2 * HOUR)],
  ],
  [
    'cronjob/no-unscheduled-run',
    [
      rescheduled(2 * HOUR),
      starts(2 * HOUR),
      turns('cronjob', cronJobs, scheduled(0.5), claimed(1), { atMs: 2 * HOUR, node: 'one' }),
    ],
    [
      rescheduled(2 * HOUR),
      starts(2 * HOUR),
      turns('cronjob', cronJobs, scheduled(0), claimed(1), { atMs: 2 * HOUR, node: 'one' }),
    ],
  ],
  [
    // A leader does not know changes before its term.
    'cronjob/no-unscheduled-run',
    [takesOver(0), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [rescheduled(2 * HOUR), takesOver(2 * HOUR), claims(2 * HOUR)],
  ],
  [
    'cronjob/no-unscheduled-run',
    [starts(0), takesOver(1), shown(2), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [starts(0), shown(1), rescheduled(2 * HOUR), takesOver(2 * HOUR), claims(2 * HOUR)],
  ],
  [
    'cronjob/local-time-matches',
    [turns('cronjob', cronJobs, cronJob({ timeZone: 'Asia/Kolkata' }), claimed(1))],
    [turns('cronjob', cronJobs, cronJob({ timeZone: 'Europe/Berlin' }), claimed(1))],
  ],
];
