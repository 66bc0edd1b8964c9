import { describe, expect, it } from 'vitest';
import { type ObservedLegacyToken, type Verdict, judge } from './judge.ts';

const DAY = 86_400_000;
const PERIOD = 365 * DAY;
/** Made in the first moment, tracked from that day on, never used, two years old. */
const token: ObservedLegacyToken = {
  nowMs: 2 * PERIOD,
  uid: 'u',
  resourceVersion: '1',
  createdMs: 0,
  trackedSinceMs: 0,
  generated: true,
  inUse: false,
  lastUsedMs: undefined,
  invalidSinceMs: undefined,
};
const keep: Verdict = { verdict: 'keep' };
const mark: Verdict = { verdict: 'mark' };
const remove: Verdict = { verdict: 'delete' };
const wait = (afterMs: number): Verdict => ({ verdict: 'wait', afterMs });

describe('a generated token Secret', () => {
  it.each<[string, Partial<ObservedLegacyToken>, Verdict]>([
    ['that nobody used for a whole period is marked', {}, mark],
    ['of a server that does not track use is kept', { trackedSinceMs: undefined }, keep],
    ['that a person made is kept', { generated: false }, keep],
    ['that a pod has is kept', { inUse: true }, keep],
    ['that a pod has is kept, marked or not', { inUse: true, invalidSinceMs: 0 }, keep],
    ['that is young waits for its period', { createdMs: 2 * PERIOD - DAY }, wait(PERIOD - DAY)],
    ['is due exactly a period after it was made', { createdMs: PERIOD, trackedSinceMs: -DAY }, mark],
    ['waits the last millisecond of that', { createdMs: PERIOD + 1, trackedSinceMs: -DAY }, wait(1)],
    ['waits for a period of tracking, the day it began not counted', { trackedSinceMs: PERIOD }, wait(DAY)],
    ['is due once the tracking is a period and a day old', { trackedSinceMs: PERIOD - DAY }, mark],
    ['that was used a period ago waits for the end of that day', { lastUsedMs: PERIOD }, wait(DAY)],
    ['that was used a period and a day ago is marked', { lastUsedMs: PERIOD - DAY }, mark],
    ['that was used today waits for a whole period', { lastUsedMs: 2 * PERIOD - DAY }, wait(PERIOD)],
    ['that is marked waits for another period', { invalidSinceMs: 2 * PERIOD - DAY }, wait(PERIOD)],
    ['is deleted a period after the day of its mark', { invalidSinceMs: PERIOD - DAY }, remove],
    [
      'that was used after its mark waits from its use on',
      { invalidSinceMs: 0, lastUsedMs: PERIOD },
      wait(DAY),
    ],
    [
      'whose mark is old and whose tracking is new waits',
      { invalidSinceMs: 0, trackedSinceMs: PERIOD },
      wait(DAY),
    ],
  ])('%s', (_what, changes, verdict) => {
    expect(judge({ ...token, ...changes }, PERIOD)).toEqual(verdict);
  });

  it('that is not there is left alone', () => {
    expect(judge(null, PERIOD)).toEqual(keep);
  });
});
