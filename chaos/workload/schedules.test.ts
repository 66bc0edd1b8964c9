import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../base/cron/index.ts';
import { extendedSchedulesAbout, schedulesAbout } from './schedules.ts';

const MINUTE = 60_000;
const START_MS = Date.UTC(2026, 2, 29, 0, 40);

describe.each([
  ['standard', schedulesAbout(START_MS)],
  ['extended', extendedSchedulesAbout(START_MS)],
] as const)('each %s schedule', (dialect, schedules) => {
  it.each(schedules)('%s is due at most every 6 minutes', (text) => {
    const schedule = parseSchedule({ schedule: text, dialect, timeZone: 'UTC', uid: 'u' });
    for (let at = schedule.next(START_MS), runs = 0; at !== undefined && runs < 40; runs++) {
      const next = schedule.next(at);
      if (next !== undefined) expect(next - at).toBeGreaterThanOrEqual(6 * MINUTE);
      at = next;
    }
  });
});
