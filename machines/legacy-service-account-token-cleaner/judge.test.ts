import { describe, expect, it } from 'vitest';
import { type ObservedLegacyToken, type TokenVerdict, judge } from './judge.ts';

const DAY = 86_400_000;
const PERIOD = 365 * DAY;
/** Token created at time 0, tracked from that day, never used and two periods old. */
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
const keep: TokenVerdict = { verdict: 'keep' };
const mark: TokenVerdict = { verdict: 'mark' };
const remove: TokenVerdict = { verdict: 'delete' };
const wait = (afterMs: number): TokenVerdict => ({ verdict: 'wait', afterMs });

describe('judge', () => {
  it.each<[string, Partial<ObservedLegacyToken>, TokenVerdict]>([
    ['marks a token unused for a whole period', {}, mark],
    ['keeps every token if the server does not track use', { trackedSinceMs: undefined }, keep],
    ['keeps a token created by a user', { generated: false }, keep],
    ['keeps a token that a pod mounts', { inUse: true }, keep],
    ['keeps a marked token that a pod mounts', { inUse: true, invalidSinceMs: 0 }, keep],
    ['waits until a young token is a period old', { createdMs: 2 * PERIOD - DAY }, wait(PERIOD - DAY)],
    ['marks a token exactly a period after its creation', { createdMs: PERIOD, trackedSinceMs: -DAY }, mark],
    [
      'waits one millisecond for a token one millisecond younger than a period',
      { createdMs: PERIOD + 1, trackedSinceMs: -DAY },
      wait(1),
    ],
    ['waits until tracking is a period and a day old', { trackedSinceMs: PERIOD }, wait(DAY)],
    ['marks a token once tracking is a period and a day old', { trackedSinceMs: PERIOD - DAY }, mark],
    ['waits for the end of the day of last use', { lastUsedMs: PERIOD }, wait(DAY)],
    ['marks a token last used a period and a day ago', { lastUsedMs: PERIOD - DAY }, mark],
    ['waits a whole period for a token used today', { lastUsedMs: 2 * PERIOD - DAY }, wait(PERIOD)],
    ['waits another period after the mark', { invalidSinceMs: 2 * PERIOD - DAY }, wait(PERIOD)],
    ['deletes a token a period after the day of its mark', { invalidSinceMs: PERIOD - DAY }, remove],
    ['waits from the last use of a marked token', { invalidSinceMs: 0, lastUsedMs: PERIOD }, wait(DAY)],
    [
      'waits if the mark is old and the tracking is new',
      { invalidSinceMs: 0, trackedSinceMs: PERIOD },
      wait(DAY),
    ],
  ])('%s', (_what, changes, verdict) => {
    expect(judge({ ...token, ...changes }, PERIOD)).toEqual(verdict);
  });

  it('keeps a Secret that does not exist', () => {
    expect(judge(null, PERIOD)).toEqual(keep);
  });
});
