import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Amounts, type Count, planQuota } from './plan.ts';

const wanted = { pods: '5' };
const plan = (used: Amounts | undefined, counted: string, recent?: string) =>
  planQuota({ uid: 'u', resourceVersion: '1', wanted, hard: used ? wanted : {}, used: used ?? {} }, {
    used: { pods: counted },
    recent: recent === undefined ? {} : { pods: recent },
    settlesInMs: recent === undefined ? undefined : 400,
  } satisfies Count);

describe('the status of a quota', () => {
  it.each<[string, Amounts | undefined, string, string | undefined, string, boolean, number | undefined]>([
    ['says what was counted at first, and looks again soon', undefined, '3', undefined, '3', false, 1000],
    ['stays where it is right', { pods: '3' }, '3', undefined, '3', true, undefined],
    ['stays where it is right though charges are recent', { pods: '3' }, '3', '2', '3', true, undefined],
    ['gives back what has gone', { pods: '3' }, '1', undefined, '1', false, undefined],
    ['keeps back what may be under way', { pods: '3' }, '1', '1', '2', false, 400],
    ['never raises for what may be under way', { pods: '3' }, '2', '5', '3', true, 400],
    ['counts what nobody charged', { pods: '1' }, '4', undefined, '4', false, undefined],
  ])('%s', (_what, used, counted, recent, expected, isCurrent, againInMs) => {
    expect(plan(used, counted, recent)).toEqual({
      hard: wanted,
      used: { pods: expected },
      isCurrent,
      againInMs,
    });
  });

  it('limits what is wanted and nothing else', () => {
    const quota = {
      uid: 'u',
      resourceVersion: '1',
      wanted: { secrets: '1' },
      hard: wanted,
      used: { pods: '2' },
    };
    expect(planQuota(quota, { used: { secrets: '0' }, recent: {}, settlesInMs: undefined })).toEqual({
      hard: { secrets: '1' },
      used: { secrets: '0' },
      isCurrent: false,
      againInMs: 1000,
    });
  });

  it('is never below what is there and under way', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.nat(9), fc.nat(9), (stored, underWay, gone) => {
        // Everything was charged; what has gone since is not counted, what is under way not yet.
        const { used } = plan({ pods: String(stored + underWay + gone) }, String(stored), String(underWay));
        expect(Number(used['pods'])).toBeGreaterThanOrEqual(stored + underWay);
      }),
    );
  });
});
