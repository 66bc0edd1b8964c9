import { describe, expect, it } from 'vitest';
import { toTime } from '../../base/clock/clock.ts';
import { withWrongClock } from '../fast-clock.fixture.ts';
import { serviceAccountController } from '../serviceaccount/serviceaccount.ts';
import { HOUR, MINUTE, SECOND, startJobs } from './job.fixture.ts';
import { jobController } from './job.ts';

describe('failure in jobController', () => {
  it('is followed by a replacement of the pod at once, and of the next ones after 10 s, 20 s and 40 s', async () => {
    const { create, finish, active, clock } = await startJobs();
    await create({ backoffLimit: 6 });
    for (const waitMs of [0, 10, 20, 40].map((seconds) => seconds * SECOND)) {
      await finish(1, 'Failed');
      if (waitMs > 0) {
        await clock.advance(waitMs - 2 * SECOND);
        expect(await active()).toHaveLength(0);
        await clock.advance(2 * SECOND);
      }
      expect(await active()).toHaveLength(1);
    }
  });

  it('no longer delays replacements after a success', async () => {
    const { create, finish, active, clock } = await startJobs();
    await create({ completions: 5, parallelism: 1 });
    await finish(1, 'Failed');
    await finish(1, 'Failed');
    expect(await active()).toHaveLength(0);
    await clock.advance(10 * SECOND);
    await finish(1);
    await finish(1, 'Failed');
    expect(await active()).toHaveLength(1);
  });

  it.each([
    [0, 1],
    [1, 2],
    [3, 4],
  ])('with backoffLimit %d is reached after %d failed pods', async (backoffLimit, failures) => {
    const { create, finish, clock, condition, statusOf, active, reasons } = await startJobs();
    await create({ backoffLimit });
    for (let i = 0; i < failures; i++) {
      expect(await condition('Failed')).toBeUndefined();
      await finish(1, 'Failed');
      await clock.advance(6 * MINUTE);
    }
    expect(await condition('Failed')).toMatchObject({
      status: 'True',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
    });
    expect(await statusOf()).toMatchObject({ active: 0, failed: failures });
    expect((await statusOf()).completionTime).toBeUndefined();
    expect(await active()).toHaveLength(0);
    expect(await reasons()).toMatchObject({ BackoffLimitExceeded: 1 });
  });

  it('deletes running pods and counts them as failed', async () => {
    const { create, finish, active, statusOf, condition, listPods } = await startJobs();
    await create({ backoffLimit: 0, parallelism: 3, completions: 3 });
    await finish(1, 'Failed');
    expect(await active()).toHaveLength(0);
    expect(await condition('Failed')).toMatchObject({ status: 'True' });
    expect(await statusOf()).toMatchObject({ active: 0, failed: 3 });
    expect(await listPods()).toHaveLength(1);
  });

  it.each([
    ['Never', 5, undefined],
    ['OnFailure', 2, undefined],
    ['OnFailure', 3, 'BackoffLimitExceeded'],
  ] as const)(
    'with restartPolicy %s, %d restarts in place and backoffLimit 3 has the reason %s',
    async (policy, restarts, reason) => {
      const { create, active, move, settle, condition } = await startJobs();
      await create({ backoffLimit: 3 }, policy);
      const [pod] = await active();
      if (pod) await move(pod, 'Running', restarts);
      await settle();
      expect((await condition('Failed'))?.reason).toBe(reason);
    },
  );

  it('occurs exactly at the active deadline', async () => {
    const { create, clock, condition, active, reasons, listPods } = await startJobs();
    await create({ activeDeadlineSeconds: 60, parallelism: 2, completions: 2 });
    await clock.advance(58 * SECOND);
    expect(await active()).toHaveLength(2);
    await clock.advance(2 * SECOND);
    expect(await condition('Failed')).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    });
    expect(await listPods()).toHaveLength(0);
    expect(await reasons()).toMatchObject({ DeadlineExceeded: 1, SuccessfulDelete: 2 });
  });

  it("is timed by the server's clock if the local clock is wrong", async () => {
    const ahead = withWrongClock(jobController, 2 * HOUR);
    const { create, clock, condition, statusOf } = await startJobs({
      definitions: () => [serviceAccountController, ahead],
    });
    await create({ activeDeadlineSeconds: 60 });
    expect((await statusOf()).startTime).toBe('2026-01-01T00:00:01Z');
    await clock.advance(50 * SECOND);
    expect(await condition('Failed')).toBeUndefined();
    await clock.advance(20 * SECOND);
    expect(await condition('Failed')).toMatchObject({ reason: 'DeadlineExceeded' });
  });
});

describe('suspension in jobController', () => {
  it('prevents pods and a start time until the Job is resumed', async () => {
    const { create, change, active, condition, statusOf, settle, clock } = await startJobs();
    await create({ suspend: true, parallelism: 2, completions: 2 });
    expect(await active()).toHaveLength(0);
    expect(await condition('Suspended')).toMatchObject({ status: 'True', reason: 'JobSuspended' });
    expect((await statusOf()).startTime).toBeUndefined();
    await settle(HOUR);
    const resumed = toTime(clock.now());
    await change({ suspend: false });
    expect(await condition('Suspended')).toMatchObject({ status: 'False', reason: 'JobResumed' });
    expect((await statusOf()).startTime).toBe(resumed);
    expect(await active()).toHaveLength(2);
  });

  it('deletes running pods without counting them, and a resume resets the start time', async () => {
    const { create, change, active, statusOf, settle, reasons, condition, finish } = await startJobs();
    await create({ parallelism: 3, completions: 3, activeDeadlineSeconds: 60, backoffLimit: 0 });
    await finish(1);
    await change({ suspend: true });
    expect(await active()).toHaveLength(0);
    expect(await statusOf()).toMatchObject({ active: 0, succeeded: 1, failed: 0 });
    await settle(HOUR);
    expect(await condition('Failed')).toBeUndefined();
    await change({ suspend: false });
    expect(await active()).toHaveLength(2);
    await settle(50 * SECOND);
    expect(await condition('Failed')).toBeUndefined();
    await finish(2);
    expect(await condition('Complete')).toMatchObject({ status: 'True' });
    expect(await reasons()).toMatchObject({ Suspended: 1, Resumed: 1, Completed: 1 });
  });
});
