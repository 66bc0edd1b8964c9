import { describe, expect, it } from 'vitest';
import { isConditionTrue, setCondition } from './conditions.ts';
import { finalizerStep, withFinalizer, withoutFinalizer } from './finalizer.ts';

const before = {
  type: 'Ready',
  status: 'False',
  reason: 'Starting',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;
const now = '2026-01-02T00:00:00Z';

describe('setCondition', () => {
  it('appends a new condition with the current time', () => {
    const { lastTransitionTime: _, ...ready } = before;
    const other = { ...before, type: 'Other' };
    expect(setCondition([other], ready, now)).toEqual([other, { ...ready, lastTransitionTime: now }]);
    expect(setCondition(undefined, ready, now)).toHaveLength(1);
  });

  it('retains the transition time if the status does not change, whatever else changes', () => {
    const next = { ...before, reason: 'Waiting', observedGeneration: 2 };
    expect(setCondition([before], next, now)).toEqual([next]);
  });

  it('sets the current time if the status changes', () => {
    const [next] = setCondition([before], { ...before, status: 'True' }, now);
    expect(next?.lastTransitionTime).toBe(now);
    expect(isConditionTrue([next ?? before], 'Ready')).toBe(true);
  });

  it('returns the same list if no condition changes', () => {
    const list = [before];
    expect(setCondition(list, { ...before }, now)).toBe(list);
  });
});

describe('finalizer functions', () => {
  const deletionTimestamp = now;
  it.each([
    ['add', {}],
    ['add', { metadata: { finalizers: ['other'] } }],
    ['held', { metadata: { finalizers: ['mine'] } }],
    ['clean', { metadata: { finalizers: ['other', 'mine'], deletionTimestamp } }],
    ['released', { metadata: { finalizers: ['other'], deletionTimestamp } }],
  ])('return step %s for %j', (step, object) => expect(finalizerStep(object, 'mine')).toBe(step));

  it('add the finalizer once and remove only that finalizer', () => {
    const object = { metadata: { finalizers: ['mine', 'other'] } };
    expect(withFinalizer(object, 'mine')).toEqual(['other', 'mine']);
    expect(withoutFinalizer(object, 'mine')).toEqual(['other']);
    expect(withoutFinalizer({}, 'mine')).toEqual([]);
  });
});
