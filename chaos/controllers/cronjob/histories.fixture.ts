import { cronJobs, jobs } from '../../../api/groups/batch-v1.ts';
import { toTime } from '../../../base/clock/clock.ts';
import {
  HOUR,
  owned,
  cronJob,
  makes,
  drops,
  turns,
  type History,
} from '../../invariants/histories/objects.fixture.ts';
import { NOON, another, atSecond, born, minutes, rescheduled, scheduled } from './runs.fixture.ts';
import { scheduleHistories } from './schedule-histories.fixture.ts';

const finished = { status: { conditions: [{ type: 'Complete', status: 'True' }] } };
const ended = { status: { ...finished.status, completionTime: toTime(HOUR) } };
/** Returns the change of a user that raises a limit. */
const raises = (atMs: number) =>
  turns(
    'user',
    cronJobs,
    cronJob({ successfulJobsHistoryLimit: 0 }),
    cronJob({ successfulJobsHistoryLimit: 1 }),
    { atMs },
  );
const forbids = (atMs: number) =>
  turns(
    'user',
    cronJobs,
    cronJob({ concurrencyPolicy: 'Replace' }),
    cronJob({ concurrencyPolicy: 'Forbid' }),
    { atMs },
  );

/** Histories of the invariants of `cronjob`. */
export const histories: readonly History[] = [
  [
    // Two runs in the same minute are two different runs.
    'cronjob/no-duplicate-run',
    [
      makes('cronjob', jobs, owned(atSecond(10), 'report'), NOON + 10_000),
      makes('cronjob', jobs, owned(atSecond(10), 'report'), NOON + 20_000),
    ],
    [
      makes('cronjob', jobs, owned(atSecond(10), 'report'), NOON + 10_000),
      makes('cronjob', jobs, owned(atSecond(20), 'report'), NOON + 20_000),
    ],
  ],
  [
    'cronjob/no-earlier-run',
    [
      makes('cronjob', jobs, owned(atSecond(20), 'report')),
      makes('cronjob', jobs, owned(atSecond(10), 'report')),
    ],
    [
      makes('cronjob', jobs, owned(atSecond(10), 'report')),
      makes('cronjob', jobs, owned(atSecond(20), 'report')),
    ],
  ],
  [
    'cronjob/no-duplicate-run',
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
    'cronjob/forbid-runs-alone',
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
    // The sender of the request has crashed. Only a server with conditional writes can reject the request.
    'cronjob/no-duplicate-run',
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
    // The policy changed after the Job was decided on.
    'cronjob/forbid-runs-alone',
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
    'cronjob/replace-deletes-first',
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
    // Under Allow, no Job is replaced.
    'cronjob/replace-deletes-first',
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
    'cronjob/runs-in-time',
    [makes('user', cronJobs, cronJob({})), makes('cronjob', jobs, owned(minutes(2), 'report'), HOUR)],
    [makes('user', cronJobs, cronJob({})), makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR)],
  ],
  [
    'cronjob/no-run-while-suspended',
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
    'cronjob/last-schedule-grows',
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
    'cronjob/no-earlier-run',
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
    'cronjob/no-needed-job-deleted',
    [makes('user', cronJobs, cronJob({})), drops('cronjob', jobs, owned(minutes(1), 'report'))],
    [
      makes('user', cronJobs, cronJob({ successfulJobsHistoryLimit: 0 })),
      drops('cronjob', jobs, owned(minutes(1), 'report', finished)),
    ],
  ],
  [
    // The controller had not observed the change from Replace yet.
    'cronjob/no-needed-job-deleted',
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
    // The controller had not observed the higher limit yet.
    'cronjob/no-needed-job-deleted',
    [raises(HOUR), drops('cronjob', jobs, owned(minutes(1), 'report', finished), 2 * HOUR)],
    [raises(HOUR), drops('cronjob', jobs, owned(minutes(1), 'report', finished), HOUR)],
  ],
  [
    // While the Job ran, the policy was never Replace.
    'cronjob/no-needed-job-deleted',
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
    'cronjob/no-foreign-active-job',
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
    'cronjob/no-missed-run',
    [makes('user', cronJobs, cronJob({}, {}, born))],
    [
      makes('user', cronJobs, cronJob({ suspend: true }, {}, { ...born, ...another })),
      makes('user', cronJobs, cronJob({}, {}, born)),
      makes('cronjob', jobs, owned(minutes(1), 'report'), HOUR),
    ],
    HOUR,
  ],
  [
    'cronjob/no-missed-run',
    [rescheduled(HOUR / 2)],
    // The new schedule did not exist when the run was due.
    [rescheduled(1.5 * HOUR)],
    1.5 * HOUR,
  ],
  [
    'cronjob/history-within-limits',
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
    'cronjob/active-lists-running',
    [makes('user', cronJobs, cronJob({}, { active: [{ name: minutes(1), uid: 'gone' }] }))],
    [
      makes('user', cronJobs, cronJob({}, { active: [{ name: minutes(1), uid: minutes(1) }] })),
      makes('cronjob', jobs, owned(minutes(1), 'report')),
    ],
  ],
  [
    // No violation, because a due run waits for the running Job only with `concurrencyPolicy: Forbid`.
    'cronjob/active-lists-running',
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
    'cronjob/continues-after-many-missed',
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
    'cronjob/resumed-runs',
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
    'cronjob/forbid-runs-afterwards',
    [
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Forbid' }, {}, born)),
      makes('cronjob', jobs, owned(minutes(1), 'report', ended), HOUR),
    ],
    [
      // A run is blocked while another Job has not ended.
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Forbid' }, {}, { ...born, ...another })),
      makes('cronjob', jobs, owned('another-60', 'another'), HOUR),
      makes('user', cronJobs, cronJob({ concurrencyPolicy: 'Forbid' }, {}, born)),
      makes('cronjob', jobs, owned(minutes(1), 'report', ended), HOUR),
      makes('cronjob', jobs, owned(minutes(2), 'report', ended), 2 * HOUR),
    ],
    2.5 * HOUR,
  ],
  ...scheduleHistories,
];
