import { describe, expect, it } from 'vitest';
import { writing } from '../registry.fixture.ts';
import { changedContext, wholeContext } from './write-context.ts';

describe('write contexts', () => {
  it('contain the given members', () => {
    const given = writing({ dryRun: true, force: true, isAdmitted: true, floats: new Map() });
    expect(wholeContext(given)).toMatchObject(given);
  });

  it('have the same members for every writer and change', () => {
    const whole = Object.keys(wholeContext(writing()));
    expect(whole).toContain('conditions');
    expect(Object.keys(changedContext(writing({ dueMs: 5 }), { fieldManager: 'other' }))).toEqual(whole);
  });

  it('are copied by a change, even if the new value is undefined', () => {
    const given = writing({ repeatedKeys: ['line 3'] });
    const changed = changedContext(given, { repeatedKeys: undefined, fieldManager: 'other' });
    expect(changed.repeatedKeys).toBeUndefined();
    expect(changed.fieldManager).toBe('other');
    expect(changed.user).toBe(given.user);
    expect(given).toMatchObject({ repeatedKeys: ['line 3'], fieldManager: 'test' });
  });
});
