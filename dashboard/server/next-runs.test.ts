import { describe, expect, it } from 'vitest';
import { nextRunsQuery } from '../model/next-runs.ts';
import { nextRunsOf } from './next-runs.ts';

const ANNOTATION = 'batch.orch.io/schedule-dialect';
const HOUR_MS = 3_600_000;

interface Schedule {
  readonly schedule: string;
  readonly timeZone?: string;
  readonly dialect?: string;
}

/** Returns the next runs of a CronJob after an instant, each as `UTC time / offset in hours`. */
function runsAfter(after: string, { schedule, timeZone, dialect }: Schedule): readonly string[] {
  const cronJob = {
    kind: 'CronJob',
    metadata: { uid: 'u1', annotations: dialect === undefined ? {} : { [ANNOTATION]: dialect } },
    spec: { schedule, ...(timeZone === undefined ? {} : { timeZone }) },
  };
  const query = new URLSearchParams(nextRunsQuery(cronJob, ANNOTATION));
  const { runs } = nextRunsOf(query, Date.parse(after));
  return runs.map(
    ({ atMs, offsetMs }) => `${new Date(atMs).toISOString().slice(0, 19)} / ${offsetMs / HOUR_MS}`,
  );
}

describe('nextRunsOf', () => {
  it.each<readonly [string, string, Schedule, readonly string[]]>([
    [
      'skips a wall time that the spring change skips',
      '2026-03-28T00:00:00Z',
      { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' },
      ['2026-03-28T01:30:00 / 1', '2026-03-30T00:30:00 / 2'],
    ],
    [
      'repeats a wall time that the autumn change repeats',
      '2026-10-24T12:00:00Z',
      { schedule: '30 2 * * *', timeZone: 'Europe/Berlin' },
      ['2026-10-25T00:30:00 / 2', '2026-10-25T01:30:00 / 1', '2026-10-26T01:30:00 / 1'],
    ],
    [
      'keeps the wall time across a change of the offset',
      '2026-02-15T00:00:00Z',
      { schedule: '0 9 1 * *', timeZone: 'America/New_York' },
      ['2026-03-01T14:00:00 / -5', '2026-04-01T13:00:00 / -4'],
    ],
    [
      'reads seconds and days of the extended dialect',
      '2026-01-15T00:00:00Z',
      { schedule: '30 0 9 LW * *', timeZone: 'Etc/UTC', dialect: 'extended' },
      ['2026-01-30T09:00:30 / 0', '2026-02-27T09:00:30 / 0', '2026-03-31T09:00:30 / 0'],
    ],
    [
      'prefers the time zone in the schedule',
      '2026-01-15T00:00:00Z',
      { schedule: 'TZ=Asia/Kolkata 0 9 * * *', timeZone: 'Europe/Berlin' },
      ['2026-01-15T03:30:00 / 5.5'],
    ],
  ])('%s', (_, after, schedule, runs) => {
    expect(runsAfter(after, schedule).slice(0, runs.length)).toEqual(runs);
  });

  it('returns five runs, and no runs for a date that does not exist', () => {
    expect(runsAfter('2026-01-15T00:00:00Z', { schedule: '@hourly', timeZone: 'Etc/UTC' })).toHaveLength(5);
    expect(runsAfter('2026-01-15T00:00:00Z', { schedule: '0 0 31 2 *', timeZone: 'Etc/UTC' })).toEqual([]);
  });

  it('names the time zone of the process if the CronJob names none', () => {
    const { timeZone } = nextRunsOf(new URLSearchParams({ schedule: '@hourly' }), 0);
    expect(timeZone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  });

  it('starts after the given time', () => {
    const query = new URLSearchParams({ schedule: '@hourly', after: String(HOUR_MS) });
    expect(nextRunsOf(query, 0).runs[0]?.atMs).toBe(2 * HOUR_MS);
  });

  it.each([
    [{ schedule: '' }, 'empty spec string'],
    [{ schedule: '0 0 L * *' }, 'failed to parse int from L'],
    [{ schedule: '* * * * *', timeZone: 'Mars/Base' }, 'unknown time zone "Mars/Base"'],
    [{ schedule: '* * * * *', dialect: 'quartz' }, 'unknown schedule dialect "quartz"'],
    [{ schedule: '* * * * *', after: 'now' }, 'invalid after "now"'],
    [{ schedule: '* * * * *', after: '1e30' }, 'invalid after "1e30"'],
  ])('rejects the query %j', (query, message) => {
    expect(() => nextRunsOf(new URLSearchParams(query as Record<string, string>), 0)).toThrow(message);
  });
});

describe('nextRunsQuery', () => {
  it('is undefined for other kinds and for a suspended CronJob', () => {
    const spec = { schedule: '@hourly' };
    expect(nextRunsQuery({ kind: 'Job', spec }, ANNOTATION)).toBeUndefined();
    expect(nextRunsQuery({ kind: 'CronJob', spec: { ...spec, suspend: true } }, ANNOTATION)).toBeUndefined();
  });
});
