import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, toPromise } from 'xstate';
import {
  type AnnounceInput,
  type CreateJobInput,
  type DeleteJobsInput,
  type RecordInput,
  cronJobMachine,
} from './cron-job.ts';
import { type ObservedCronJob, type ObservedJob, jobNameOf, mayHaveRunAt, planCronJob } from './plan.ts';

const at = (text: string): number => Date.parse(text);
const observed = (changes: Partial<ObservedCronJob> = {}): ObservedCronJob => ({
  nowMs: at('2026-03-01T12:00:00.1Z'),
  name: 'report',
  uid: 'u1',
  resourceVersion: '7',
  deleting: false,
  createdMs: at('2026-03-01T11:30:00Z'),
  schedule: '0 * * * *',
  timeZone: undefined,
  scheduledSinceMs: undefined,
  suspend: false,
  concurrencyPolicy: 'Allow',
  startingDeadlineSeconds: undefined,
  successfulLimit: 3,
  failedLimit: 1,
  active: [],
  lastScheduleMs: undefined,
  lastSuccessfulMs: undefined,
  jobs: [],
  missing: [],
  ...changes,
});
const job = (name: string, changes: Partial<ObservedJob> = {}): ObservedJob => ({
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
  finished: '',
  deleting: false,
  startMs: at('2026-03-01T11:00:00Z'),
  completionMs: undefined,
  ...changes,
});
const noon = at('2026-03-01T12:00:00Z');
const reasons = (plan: ReturnType<typeof planCronJob>): string[] => plan.events.map((event) => event.reason);

describe('planCronJob', () => {
  it('reserves a due time in the status and starts the Job named after the due time', () => {
    const plan = planCronJob(observed());
    expect(plan.start).toEqual({ jobName: jobNameOf('report', noon), scheduledMs: noon });
    expect(plan.status).toEqual({
      active: [{ name: jobNameOf('report', noon), uid: '' }],
      lastScheduleMs: noon,
      lastSuccessfulMs: undefined,
    });
    expect(plan.wakeAtMs).toBe(at('2026-03-01T13:00:00.1Z'));
  });

  it.each([
    ['Forbid', undefined, noon - 3_600_000],
    ['Forbid', 60, noon],
    ['Allow', undefined, noon],
    ['Replace', undefined, noon],
  ] as const)(
    'with policy %s and deadline %s starts the Job of %d if an earlier reserved due time has no Job',
    (concurrencyPolicy, startingDeadlineSeconds, scheduledMs) => {
      const lastScheduleMs = noon - 3_600_000;
      const name = jobNameOf('report', lastScheduleMs);
      const claimed = { lastScheduleMs, active: [{ name, uid: '' }], missing: [name] };
      const plan = planCronJob(observed({ ...claimed, concurrencyPolicy, startingDeadlineSeconds }));
      expect(plan.start).toEqual({ jobName: jobNameOf('report', scheduledMs), scheduledMs });
    },
  );

  it.each([
    ['0 * * * *', undefined, '12:00:00', true],
    ['0 * * * *', undefined, '12:30:00', false],
    ['30 * * * *', undefined, '12:30:00', true],
    ['0 17 * * *', 'Asia/Kolkata', '11:30:00', true],
    ['0 17 * * *', 'Europe/Berlin', '11:30:00', false],
    ['@every 7m', undefined, '12:01:02', true],
    ['no schedule', undefined, '12:00:00', true],
    ['0 * * * *', 'Nowhere/Else', '12:30:00', true],
  ] as const)(
    'mayHaveRunAt for %s in %s and a last run at %s returns %s',
    (schedule, timeZone, time, may) => {
      expect(mayHaveRunAt({ schedule, timeZone, uid: 'u1' }, at(`2026-03-01T${time}Z`))).toBe(may);
    },
  );

  describe('in the extended dialect', () => {
    const extended = { dialect: 'extended', schedule: '*/20 * * * * *', createdMs: noon - 30_000 };

    it('names the Job by the second, so that runs within a minute have different names', () => {
      const plan = planCronJob(observed({ ...extended, nowMs: noon + 20_100, lastScheduleMs: noon }));
      expect(plan.start).toEqual({
        jobName: `report-${(noon + 20_000) / 1_000}`,
        scheduledMs: noon + 20_000,
      });
      expect(plan.wakeAtMs).toBe(noon + 40_100);
    });

    it('names the Job by the minute if the schedule has no seconds', () => {
      const plan = planCronJob(observed({ dialect: 'extended', schedule: '0 12 L,1 * *' }));
      expect(plan.start?.jobName).toBe(`report-${noon / 60_000}`);
    });

    it.each([
      ['in seconds, under a schedule with minutes', { schedule: '0 * * * *', dialect: undefined }, 1_000],
      ['in minutes, under a schedule with seconds', { ...extended, schedule: '0 0 * * * *' }, 60_000],
    ])('keeps the entry of a reserved due time that counts %s', (_, schedule, unitMs) => {
      const name = jobNameOf('report', noon, unitMs);
      const claimed = { lastScheduleMs: noon, active: [{ name, uid: '' }], missing: [name] };
      const changes = { ...schedule, ...claimed, createdMs: noon - 1 };
      expect(planCronJob(observed(changes)).start).toEqual({ jobName: name, scheduledMs: noon });
      const suspended = planCronJob(observed({ ...changes, suspend: true }));
      expect(suspended.start).toBeUndefined();
      expect(suspended.status).toBeUndefined();
    });

    it('runs the latest of the missed due times once, within the deadline', () => {
      const late = { ...extended, nowMs: noon + 55_000, lastScheduleMs: noon - 20_000 };
      expect(planCronJob(observed({ ...late, startingDeadlineSeconds: 30 })).start?.scheduledMs).toBe(
        noon + 40_000,
      );
      expect(planCronJob(observed({ ...late, startingDeadlineSeconds: 10 })).start).toBeUndefined();
    });

    it('hashes H with the uid', () => {
      const wakes = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'].map(
        (uid) => planCronJob(observed({ dialect: 'extended', schedule: 'H 13 * * *', uid })).wakeAtMs,
      );
      expect(new Set(wakes).size).toBeGreaterThan(1);
    });

    it('reports an unknown dialect and starts nothing', () => {
      const plan = planCronJob(observed({ dialect: 'quartz' }));
      expect(plan.start).toBeUndefined();
      expect(plan.events).toEqual([
        {
          type: 'Warning',
          reason: 'UnparseableSchedule',
          message:
            'unparseable schedule: "0 * * * *" : unknown schedule dialect "quartz": accepted are standard and extended',
        },
      ]);
    });
  });

  it('plans nothing after the plan was executed', () => {
    const name = jobNameOf('report', noon);
    const plan = planCronJob(
      observed({ lastScheduleMs: noon, active: [{ name, uid: `uid-${name}` }], jobs: [job(name)] }),
    );
    expect(plan).toMatchObject({ start: undefined, status: undefined, replace: [], clean: [], events: [] });
  });

  it('fills in the uid of a reserved Job that exists', () => {
    const name = jobNameOf('report', noon);
    const plan = planCronJob(
      observed({ lastScheduleMs: noon, active: [{ name, uid: '' }], jobs: [job(name)] }),
    );
    expect(plan.status?.active).toEqual([{ name, uid: `uid-${name}`, resourceVersion: '1' }]);
    expect(plan.start).toBeUndefined();
  });

  it('starts a reserved Job that was never created without reserving its due time again', () => {
    const name = jobNameOf('report', noon);
    const plan = planCronJob(
      observed({ lastScheduleMs: noon, active: [{ name, uid: '' }], missing: [name] }),
    );
    expect(plan.start).toEqual({ jobName: name, scheduledMs: noon });
    expect(plan.status).toBeUndefined();
  });

  it('does not repeat a due time whose Job ran and was deleted', () => {
    expect(planCronJob(observed({ lastScheduleMs: noon })).start).toBeUndefined();
  });

  it('keeps a reserved due time that waits under Forbid for a Job that seems to run', () => {
    const name = jobNameOf('report', noon);
    const plan = planCronJob(
      observed({
        concurrencyPolicy: 'Forbid',
        lastScheduleMs: noon,
        active: [{ name, uid: '' }],
        missing: [name],
        jobs: [job('report-earlier')],
      }),
    );
    expect(plan.start).toBeUndefined();
    expect(plan.status?.active ?? [{ name, uid: '' }]).toEqual([{ name, uid: '' }]);
    expect(reasons(plan)).toContain('JobAlreadyActive');
  });

  it.each([
    [undefined, [{ name: jobNameOf('report', noon), uid: '' }], noon],
    [20, [{ name: jobNameOf('report', noon), uid: '' }], noon],
    [10, [], undefined],
  ])(
    'suspended with deadline %s before the reserved Job existed, keeps the entry %j and starts %d on resume',
    (startingDeadlineSeconds, active, scheduledMs) => {
      const name = jobNameOf('report', noon);
      const claimed = { lastScheduleMs: noon, active: [{ name, uid: '' }], missing: [name] };
      const failing = observed({ ...claimed, startingDeadlineSeconds, nowMs: noon + 15_000 });
      const plan = planCronJob({ ...failing, suspend: true });
      expect(plan).toMatchObject({ start: undefined, wakeAtMs: undefined });
      expect(plan.status?.active ?? failing.active).toEqual(active);
      expect(planCronJob({ ...failing, active }).start?.scheduledMs).toBe(scheduledMs);
    },
  );

  it('drops a reserved due time once a newer time is due', () => {
    const old = jobNameOf('report', at('2026-03-01T11:00:00Z'));
    const plan = planCronJob(
      observed({
        lastScheduleMs: at('2026-03-01T11:00:00Z'),
        active: [{ name: old, uid: '' }],
        missing: [old],
      }),
    );
    expect(plan.status?.active).toEqual([{ name: jobNameOf('report', noon), uid: '' }]);
  });

  it('runs the latest of many missed due times once and reports the missed ones', () => {
    const plan = planCronJob(observed({ createdMs: at('2016-01-01T00:00:00Z') }));
    expect(plan.start?.scheduledMs).toBe(noon);
    expect(reasons(plan)).toContain('TooManyMissedTimes');
  });

  it('starts nothing and waits for a change while the CronJob is suspended or being deleted', () => {
    for (const changes of [{ suspend: true }, { deleting: true }])
      expect(planCronJob(observed(changes))).toMatchObject({ start: undefined, wakeAtMs: undefined });
  });

  it('starts nothing under Forbid while a Job runs, in the active list or not', () => {
    const running = job('report-1');
    for (const active of [[{ name: 'report-1', uid: running.uid }], []]) {
      const plan = planCronJob(observed({ concurrencyPolicy: 'Forbid', active, jobs: [running] }));
      expect(plan.start).toBeUndefined();
      expect(reasons(plan)).toContain('JobAlreadyActive');
    }
  });

  it('starts within the deadline under Forbid once the running Job has ended', () => {
    const ended = job('report-1', { finished: 'Complete', completionMs: noon });
    const plan = planCronJob(
      observed({
        concurrencyPolicy: 'Forbid',
        active: [{ name: 'report-1', uid: ended.uid }],
        jobs: [ended],
      }),
    );
    expect(plan.start?.scheduledMs).toBe(noon);
    expect(plan.status?.lastSuccessfulMs).toBe(noon);
  });

  it('keeps replaced Jobs in the active list until they are deleted, and does not report them missing', () => {
    const running = job('report-1');
    const kept = { name: 'report-1', uid: running.uid };
    const claimed = { name: jobNameOf('report', noon), uid: '' };
    const replacing = { concurrencyPolicy: 'Replace', active: [kept], jobs: [running] } as const;
    const plan = planCronJob(observed(replacing));
    expect(plan.replace).toEqual([running]);
    expect(plan.status?.active).toMatchObject([kept, claimed]);

    const asClaimed = { ...replacing, active: [kept, claimed], lastScheduleMs: noon };
    const again = planCronJob(observed({ ...asClaimed, missing: [claimed.name] }));
    expect(again).toMatchObject({ replace: [running], start: { jobName: claimed.name }, status: undefined });

    const gone = planCronJob(observed({ ...asClaimed, jobs: [job(claimed.name)], missing: ['report-1'] }));
    expect(gone.status?.active).toMatchObject([{ name: claimed.name, uid: `uid-${claimed.name}` }]);
    expect(reasons(gone)).toEqual([]);
  });

  it('reports a due time past the starting deadline as missed and does not start it', () => {
    const plan = planCronJob(observed({ nowMs: noon + 11_000, startingDeadlineSeconds: 10 }));
    expect(plan.start).toBeUndefined();
    const claimed = jobNameOf('report', noon);
    const late = planCronJob(
      observed({
        nowMs: noon + 11_000,
        startingDeadlineSeconds: 10,
        lastScheduleMs: noon,
        active: [{ name: claimed, uid: '' }],
        missing: [claimed],
      }),
    );
    expect(late.start).toBeUndefined();
    expect(reasons(late)).toContain('MissSchedule');
    expect(late.status?.active).toEqual([]);
  });

  it('starts a due Job on time with a deadline of one second', () => {
    expect(planCronJob(observed({ startingDeadlineSeconds: 1 })).start?.scheduledMs).toBe(noon);
  });

  it('keeps the newest Jobs of each result and never deletes a running Job', () => {
    const done = [1, 2, 3, 4, 5].map((hour) =>
      job(`done-${hour}`, { finished: 'Complete', startMs: hour, completionMs: hour }),
    );
    const broken = [1, 2].map((hour) => job(`broken-${hour}`, { finished: 'Failed', startMs: hour }));
    const plan = planCronJob(observed({ suspend: true, jobs: [...done, ...broken, job('runs')] }));
    expect(plan.clean.map((each) => each.name)).toEqual(['done-1', 'done-2', 'broken-1']);
    const none = planCronJob(
      observed({ suspend: true, jobs: done, successfulLimit: undefined, failedLimit: undefined }),
    );
    expect(none.clean).toEqual([]);
    const zero = planCronJob(observed({ suspend: true, jobs: done, successfulLimit: 0 }));
    expect(zero.clean).toHaveLength(5);
  });

  it('reports and removes an active Job that no longer exists', () => {
    const plan = planCronJob(observed({ suspend: true, active: [{ name: 'x', uid: 'ux' }], missing: ['x'] }));
    expect(plan.status?.active).toEqual([]);
    expect(reasons(plan)).toEqual(['MissingJob']);
  });

  it.each([
    [{ schedule: 'nonsense' }, 'UnparseableSchedule'],
    [{ schedule: '0 0 31 2 *' }, 'InvalidSchedule'],
    [{ timeZone: 'Mars/Olympus' }, 'UnknownTimeZone'],
    [{ schedule: 'TZ=UTC 0 * * * *' }, 'UnsupportedSchedule'],
  ])('%j causes the event %s', (changes, reason) => {
    expect(reasons(planCronJob(observed(changes)))).toContain(reason);
  });

  it('schedules no next reconcile if the schedule never fires', () => {
    expect(planCronJob(observed({ schedule: '0 0 31 2 *' }))).toMatchObject({
      start: undefined,
      wakeAtMs: undefined,
    });
  });
});

describe('cronJobMachine', () => {
  /** Returns the writes of one reconcile in order. */
  const writes = async (changes: Partial<ObservedCronJob> = {}) => {
    const made: (readonly [verb: string, RecordInput | DeleteJobsInput | CreateJobInput])[] = [];
    const note =
      (verb: string) =>
      async ({ input }: { readonly input: RecordInput | DeleteJobsInput | CreateJobInput }) =>
        void made.push([verb, input]);
    const actors = {
      observe: fromPromise<ObservedCronJob | null, { key: string }>(async () => observed(changes)),
      recordStatus: fromPromise<string, RecordInput>(async (call) => {
        await note('record')(call);
        return '8';
      }),
      deleteJobs: fromPromise<void, DeleteJobsInput>(note('delete')),
      createJob: fromPromise<void, CreateJobInput>(note('create')),
      announce: fromPromise<void, AnnounceInput>(async () => {}),
    };
    const actor = createActor(cronJobMachine.provide({ actors }), {
      input: { key: 'team/report', retries: 0 },
    });
    actor.start();
    await toPromise(actor);
    return made;
  };
  const name = jobNameOf('report', noon);
  const claimed = { lastScheduleMs: noon, active: [{ name, uid: '' }], missing: [name] };

  it('creates a Job on the resource version that its status write produced', async () =>
    expect(await writes()).toMatchObject([
      ['record', { uid: 'u1', resourceVersion: '7' }],
      ['create', { uid: 'u1', resourceVersion: '8' }],
    ]));

  it('creates a Job reserved by an earlier reconcile on the observed resource version, whatever was written since', async () =>
    expect(await writes(claimed)).toMatchObject([['create', { jobName: name, resourceVersion: '7' }]]));

  it('deletes replaced Jobs after its status write, on the resource version that the write produced', async () => {
    const jobs = [job('report-1')];
    expect(await writes({ concurrencyPolicy: 'Replace', jobs })).toMatchObject([
      ['record', { resourceVersion: '7' }],
      ['delete', { uid: 'u1', resourceVersion: '8', jobs }],
      ['create', { resourceVersion: '8' }],
    ]);
    expect(await writes({ ...claimed, concurrencyPolicy: 'Replace', jobs })).toMatchObject([
      ['delete', { uid: 'u1', resourceVersion: '7', jobs }],
      ['create', { jobName: name }],
    ]);
  });
});
