import { describe, expect, it } from 'vitest';
import { requestLifecycle } from './certificate-request.ts';
import { alternativesTo, conditionTypesIn, permanentConditionsIn } from './conditions.ts';
import type { Transition } from './lifecycle.ts';

const states = { Off: 'it is off', On: 'it is on' };
const turnsOn: Transition = { from: ['Off'], to: 'On', by: ['user'], reason: 'it starts', adds: 'Ready' };
const turnsOff: Transition = { from: ['On'], to: 'Off', by: ['user'], reason: 'it stops' };

describe('conditions of certificate requests', () => {
  it('are those of release 1.24, by subresource', () => {
    expect(conditionTypesIn(requestLifecycle)).toEqual(['Approved', 'Denied', 'Failed']);
    expect(conditionTypesIn(requestLifecycle, 'approval')).toEqual(['Approved', 'Denied']);
    expect(conditionTypesIn(requestLifecycle, 'status')).toEqual(['Failed']);
  });

  it('exclude each other if one decision adds them', () => {
    const alternatives = ['Approved', 'Denied', 'Failed'].map((type) =>
      alternativesTo(requestLifecycle, type),
    );
    expect(alternatives).toEqual([['Denied'], ['Approved'], []]);
  });

  it('are all permanent', () => {
    expect(permanentConditionsIn(requestLifecycle)).toEqual(['Approved', 'Denied', 'Failed']);
  });
});

describe('permanentConditionsIn', () => {
  it('contains no condition of a state that can be left', () => {
    expect(permanentConditionsIn({ states, transitions: [turnsOn] })).toEqual(['Ready']);
    expect(permanentConditionsIn({ states, transitions: [turnsOn, turnsOff] })).toEqual([]);
  });
});
