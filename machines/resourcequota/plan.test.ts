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

describe('planQuota', () => {
  it.each<[string, Amounts | undefined, string, string | undefined, string, boolean, number | undefined]>([
    ['writes the count at first and rechecks soon', undefined, '3', undefined, '3', false, 1000],
    ['leaves a correct status unchanged', { pods: '3' }, '3', undefined, '3', true, undefined],
    [
      'leaves a correct status unchanged despite recent charges',
      { pods: '3' },
      '3',
      '2',
      '3',
      true,
      undefined,
    ],
    ['lowers the usage by deleted objects', { pods: '3' }, '1', undefined, '1', false, undefined],
    ['retains charges that may be in flight', { pods: '3' }, '1', '1', '2', false, 400],
    ['does not raise the usage for charges in flight', { pods: '3' }, '2', '5', '3', true, 400],
    ['counts objects without a charge', { pods: '1' }, '4', undefined, '4', false, undefined],
  ])('%s', (_what, used, counted, recent, expected, isCurrent, againInMs) => {
    expect(plan(used, counted, recent)).toEqual({
      hard: wanted,
      used: { pods: expected },
      isCurrent,
      againInMs,
    });
  });

  it('limits only the resources of the spec', () => {
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

  it('never plans a usage below the stored objects plus the objects in flight', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.nat(9), fc.nat(9), (stored, underWay, gone) => {
        // All objects were charged. Deleted objects and objects in flight are not in the count.
        const { used } = plan({ pods: String(stored + underWay + gone) }, String(stored), String(underWay));
        expect(Number(used['pods'])).toBeGreaterThanOrEqual(stored + underWay);
      }),
    );
  });
});
