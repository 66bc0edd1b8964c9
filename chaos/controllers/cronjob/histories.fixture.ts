import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import { dialectKey } from '../../../api/groups/batch/schedule.ts';
import { leases } from '../../../api/groups/coordination-v1.ts';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { toTime } from '../../../base/clock/clock.ts';
import type { ProcessEntry } from '../../invariants/invariant.ts';
import {
  HOUR,
  owned,
  cronJob,
  makes,
  drops,
  named,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';

const finished = { status: { conditions: [{ type: 'Complete', status: 'True' }] } };
const minutes = (hour: number): string => `report-${hour * 60}`;

const ended = { status: { ...finished.status, completionTime: toTime(HOUR) } };
const claimed = (hour: number) => cronJob({}, { active: [{ name: minutes(hour) }] });
const scheduled = (hour: number) => cronJob({}, { lastScheduleTime: toTime(hour * HOUR) });

const born = { creationTimestamp: toTime(0) };
/** Metadata of a second CronJob. */
const another = { name: 'another', uid: 'another' };
const rescheduled = (atMs: number) =>
  turns('user', cronJobs, cronJob({ schedule: '0 0 1 1 *' }, {}, born), cronJob({}, {}, born), { atMs });

const forbids = (atMs: number) =>
  turns(
    'user',
    cronJobs,
    cronJob({ concurrencyPolicy: 'Replace' }),
    cronJob({ concurrencyPolicy: 'Forbid' }),
    { atMs },
  );

const starts = (atMs: number, process = 'one'): ProcessEntry => ({
  process,
  atMs,
  wallMs: atMs,
  event: 'started',
});
const KEY = 'team/report';
const enqueued =
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
const shown = enqueued('cronjobs.batch');
const ran = enqueued('jobs.batch');
const claims = (atMs: number) => turns('cronjob', cronJobs, cronJob({}), claimed(1), { atMs, node: 'one' });

/** A CronJob in the extended dialect, with the claim of a run at a second of noon of 2 March 2026. */
const NOON = Date.UTC(2026, 2, 2, 12);
const atSecond = (second: number): string => `report-${NOON / 1_000 + second}`;
const extended = (schedule: string, second?: number) =>
  cronJob(
    { schedule, timeZone: 'Etc/UTC' },
    second === undefined ? {} : { active: [{ name: atSecond(second) }] },
    { annotations: { [dialectKey(orchVocabulary)]: 'extended' } },
  );
const claimsAt = (schedule: string, second: number) =>
  turns('cronjob', cronJobs, extended(schedule), extended(schedule, second), { atMs: NOON + second * 1_000 });

const lease = (holderIdentity: string) => named('controller-manager-cronjob', { spec: { holderIdentity } });
const takesOver = (atMs: number) => turns('cronjob', leases, lease('one'), lease('two'), { atMs });

/** Histories of the invariants of `cronjob`. */
export const histories: readonly History[] = [
  [
    // Two runs of one minute are two runs.
    'cronjob/N1',
    [
      makes('cronjob', jobs, owned(atSecond(10), 'report'), NOON + 10_000),
      makes('cronjob', jobs, owned(atSecond(10), 'report'), NOON + 20_000),
    ],
    [
      makes('cronjob', jobs, owned(atSecond(10), 'report'), NOON + 10_000),
      makes('cronjob', jobs, owned(atSecond(20), 'report'), NOON + 20_000),
    ],
  ],
  ['cronjob/N6', [claimsAt('*/30 0 12 1W * *', 10)], [claimsAt('*/30 0 12 1W * *', 30)]],
  ['cronjob/N6', [claimsAt('0 0 12 2W,L * MON#2', 30)], [claimsAt('0 0 12 15W,L * MON#1', 0)]],
  [
    'cronjob/N8',
    [
      makes('cronjob', jobs, owned(atSecond(20), 'report')),
      makes('cronjob', jobs, owned(atSecond(10), 'report')),
    ],
    [
      makes('cronjob', jobs, owned(atSecond(10), 'report')),
      makes('cronjob', jobs, owned(atSecond(20), 'report')),
    ],
  ],
  ['cronjob/N10', [claimsAt('*/30 1 12 1W * *', 0)], [claimsAt('*/30 0 12 1W * *', 30)]],
  [
    'cronjob/N1',
    [
      makes('user', cronJobs, cronJob({})),
      makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
      drops('user', jobs, owned(minutes(1), 'report'), HOUR),
      makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
    ],
    [
      makes('user', cronJobs, cronJob({})),
      makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
      makes('cronjob', jobs, owned(minutes(2), 'report'), 2 * HOUR),
    ],
  ],
  [
    'cronjob/N2',
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Forbid' })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
    ],
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Forbid' })),
      makes('cronjob', jobs, owned(minutes(1), 'report', finished)),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
    ],
  ],
  [
    // A request of a crashed sender; only a server with conditional writes can refuse it.
    'cronjob/N1',
    [
      makes('user', cronJobs, cronJob({})),
      makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
      drops('user', jobs, owned(minutes(1), 'report'), HOUR),
      makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
    ],
    [
      makes('user', cronJobs, cronJob({})),
      makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
      drops('user', jobs, owned(minutes(1), 'report'), HOUR),
      { ...makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR), abandoned: true },
    ],
  ],
  [
    // A policy change after the Job was decided on.
    'cronjob/N2',
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Allow' })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      turns(
        'user',
        cronJobs,
        cronJob({ concurrencyPolicy: 'Allow' }),
        cronJob({ concurrencyPolicy: 'Forbid' }),
        {
          atMs: HOUR,
        },
      ),
      makes('cronjob', jobs, owned(minutes(2), 'report'), 2 * HOUR),
    ],
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Allow' })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      turns(
        'user',
        cronJobs,
        cronJob({ concurrencyPolicy: 'Allow' }),
        cronJob({ concurrencyPolicy: 'Forbid' }),
        {
          atMs: HOUR,
        },
      ),
      makes('cronjob', jobs, owned(minutes(2), 'report'), HOUR + 1_000),
      drops('user', jobs, owned(minutes(1), 'report'), 2 * HOUR),
      drops('user', jobs, owned(minutes(2), 'report'), 2 * HOUR),
      makes('cronjob', jobs, owned(minutes(3), 'report'), 3 * HOUR),
    ],
  ],
  [
    'cronjob/N3',
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Replace' })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
    ],
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Replace' })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      drops('cronjob', jobs, owned(minutes(1), 'report')),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
    ],
  ],
  [
    // Under Allow, nothing is replaced.
    'cronjob/N3',
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Replace' })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
    ],
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Allow' })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Replace' }, {}, another)),
      makes('cronjob', jobs, owned('another-60', 'another')),
    ],
  ],
  [
    'cronjob/N4',
    [makes('user', cronJobs, cronJob({})), makes('cronjob', jobs, owned(minutes(2), 'report'), HOUR)],
    [makes('user', cronJobs, cronJob({})), makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR)],
  ],
  [
    'cronjob/N5',
    [
      turns(
        'cronjob',
        cronJobs,
        cronJob({ suspend: true }),
        cronJob({ suspend: true }, { active: [{ name: minutes(1) }] }),
      ),
    ],
    [turns('cronjob', cronJobs, cronJob({}), cronJob({}, { active: [{ name: minutes(1) }] }))],
  ],
  [
    'cronjob/N6',
    [turns('cronjob', cronJobs, cronJob({}), cronJob({}, { active: [{ name: 'report-61' }] }))],
    [turns('cronjob', cronJobs, cronJob({}), cronJob({}, { active: [{ name: minutes(1) }] }))],
  ],
  [
    // A process that starts after a change learns of it only from a run that the schedule does not have.
    'cronjob/N6',
    [starts(0), shown(1), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [starts(0), shown(1), rescheduled(2 * HOUR), starts(2 * HOUR), claims(2 * HOUR)],
  ],
  [
    // A running process that had not observed the CronJob knows no earlier schedule.
    'cronjob/N6',
    [starts(0), shown(2 * HOUR - 1), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [starts(0), rescheduled(2 * HOUR), shown(2 * HOUR + 1), claims(2 * HOUR + 2)],
  ],
  [
    // Observations of another process do not count, and neither do Jobs of the same name.
    'cronjob/N6',
    [starts(0), starts(0, 'two'), shown(1), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [starts(0), starts(0, 'two'), shown(1, 'two'), ran(1), rescheduled(2 * HOUR), claims(2 * HOUR)],
  ],
  [
    // An observation before the creation belongs to an earlier CronJob.
    'cronjob/N6',
    [starts(0), makes('user', cronJobs, cronJob({})), shown(1), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [starts(0), shown(1), makes('user', cronJobs, cronJob({})), rescheduled(2 * HOUR), claims(2 * HOUR)],
  ],
  [
    'cronjob/N6',
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
    // A leader does not know changes from before its term.
    'cronjob/N6',
    [takesOver(0), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [rescheduled(2 * HOUR), takesOver(2 * HOUR), claims(2 * HOUR)],
  ],
  [
    'cronjob/N6',
    [starts(0), takesOver(1), shown(2), rescheduled(2 * HOUR), claims(2 * HOUR)],
    [starts(0), shown(1), rescheduled(2 * HOUR), takesOver(2 * HOUR), claims(2 * HOUR)],
  ],
  [
    'cronjob/N7',
    [
      turns(
        'cronjob',
        cronJobs,
        cronJob({}, { lastScheduleTime: toTime(HOUR) }),
        cronJob({}, { lastScheduleTime: toTime(0) }),
      ),
    ],
    [
      turns(
        'cronjob',
        cronJobs,
        cronJob({}, { lastScheduleTime: toTime(0) }),
        cronJob({}, { lastScheduleTime: toTime(HOUR) }),
      ),
    ],
  ],
  [
    'cronjob/N8',
    [
      makes('cronjob', jobs, owned(minutes(2), 'report')),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
    ],
    [
      makes('cronjob', jobs, owned(minutes(1), 'report')),
      makes('cronjob', jobs, owned(minutes(2), 'report')),
    ],
  ],
  [
    'cronjob/N9',
    [makes('user', cronJobs, cronJob({})), drops('cronjob', jobs, owned(minutes(1), 'report'))],
    [
      makes('user', cronJobs, cronJob({ successfulJobsHistoryLimit: 0 })),
      drops('cronjob', jobs, owned(minutes(1), 'report', finished)),
    ],
  ],
  [
    // The change from Replace was not visible yet.
    'cronjob/N9',
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Replace' })),
      forbids(HOUR),
      drops('cronjob', jobs, owned(minutes(1), 'report'), 2 * HOUR),
    ],
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Replace' })),
      forbids(HOUR),
      drops('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
    ],
  ],
  [
    // The policy was never Replace while the Job ran.
    'cronjob/N9',
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Allow' })),
      turns(
        'user',
        cronJobs,
        cronJob({ concurrencyPolicy: 'Allow' }),
        cronJob({ concurrencyPolicy: 'Forbid' }),
        { atMs: HOUR },
      ),
      drops('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
    ],
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Allow' })),
      turns(
        'user',
        cronJobs,
        cronJob({ concurrencyPolicy: 'Allow' }),
        cronJob({ concurrencyPolicy: 'Replace' }),
        { atMs: HOUR },
      ),
      drops('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
    ],
  ],
  [
    'cronjob/N11',
    [
      makes('user', jobs, owned(minutes(1), 'another')),
      turns(
        'cronjob',
        cronJobs,
        cronJob({}),
        cronJob({}, { active: [{ name: minutes(1), uid: minutes(1) }] }),
      ),
    ],
    [
      makes('user', jobs, owned(minutes(1), 'report')),
      turns(
        'cronjob',
        cronJobs,
        cronJob({}),
        cronJob({}, { active: [{ name: minutes(1), uid: minutes(1) }] }),
      ),
    ],
  ],
  [
    'cronjob/E1',
    [makes('user', cronJobs, cronJob({}, {}, born))],
    [
      makes('user', cronJobs, cronJob({ suspend: true }, {}, { ...born, ...another })),
      makes('user', cronJobs, cronJob({}, {}, born)),
      makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
    ],
    HOUR,
  ],
  [
    'cronjob/E1',
    [rescheduled(HOUR / 2)],
    // The new schedule did not exist when the run was due.
    [rescheduled(1.5 * HOUR)],
    1.5 * HOUR,
  ],
  [
    'cronjob/E3',
    [
      makes('user', cronJobs, cronJob({ successfulJobsHistoryLimit: 0 })),
      makes('cronjob', jobs, owned(minutes(1), 'report', finished)),
    ],
    [
      makes('user', cronJobs, cronJob({ successfulJobsHistoryLimit: 1 })),
      makes('cronjob', jobs, owned(minutes(1), 'report', finished)),
    ],
  ],
  [
    'cronjob/E4',
    [makes('user', cronJobs, cronJob({}, { active: [{ name: minutes(1), uid: 'gone' }] }))],
    [
      makes('user', cronJobs, cronJob({}, { active: [{ name: minutes(1), uid: minutes(1) }] })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
    ],
  ],
  [
    // A claim waits for a running Job only under Forbid.
    'cronjob/E4',
    [
      makes(
        'user',
        cronJobs,
        cronJob({}, { active: [{ name: minutes(1), uid: minutes(1) }, { name: minutes(2) }] }),
      ),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
    ],
    [
      makes(
        'user',
        cronJobs,
        cronJob(
          { concurrencyPolicy: 'Forbid' },
          { active: [{ name: minutes(1), uid: minutes(1) }, { name: minutes(2) }] },
        ),
      ),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
    ],
  ],
  [
    'cronjob/N10',
    [turns('cronjob', cronJobs, cronJob({ timeZone: 'Asia/Kolkata' }), claimed(1))],
    [turns('cronjob', cronJobs, cronJob({ timeZone: 'Europe/Berlin' }), claimed(1))],
  ],
  [
    'cronjob/E2',
    [
      makes('user', cronJobs, cronJob({})),
      turns('cronjob', cronJobs, scheduled(1), scheduled(200), { atMs: 200 * HOUR }),
    ],
    [
      makes('user', cronJobs, cronJob({})),
      turns('cronjob', cronJobs, scheduled(1), scheduled(200), { atMs: 200 * HOUR }),
      turns('cronjob', cronJobs, scheduled(200), scheduled(210), { atMs: 210 * HOUR }),
    ],
    210.5 * HOUR,
  ],
  [
    'cronjob/E5',
    [
      makes('user', cronJobs, cronJob({ suspend: true })),
      turns('user', cronJobs, cronJob({ suspend: true }), cronJob({}), { atMs: HOUR }),
    ],
    [
      makes('user', cronJobs, cronJob({ suspend: true })),
      turns('user', cronJobs, cronJob({ suspend: true }), cronJob({}), { atMs: HOUR }),
      makes('cronjob', jobs, owned(minutes(2), 'report'), 2 * HOUR),
    ],
    2.5 * HOUR,
  ],
  [
    'cronjob/E6',
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Forbid' }, {}, born)),
      makes('cronjob', jobs, owned(minutes(1), 'report', ended), HOUR),
    ],
    [
      // A run is blocked while another one has not ended.
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Forbid' }, {}, { ...born, ...another })),
      makes('cronjob', jobs, owned('another-60', 'another'), HOUR),
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Forbid' }, {}, born)),
      makes('cronjob', jobs, owned(minutes(1), 'report', ended), HOUR),
      makes('cronjob', jobs, owned(minutes(2), 'report', ended), 2 * HOUR),
    ],
    2.5 * HOUR,
  ],
];
