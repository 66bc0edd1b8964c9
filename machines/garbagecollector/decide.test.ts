import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ObservedObject, decide } from './decide.ts';

const object = (changes: Partial<ObservedObject> = {}): ObservedObject => ({
  uid: 'u',
  resourceVersion: '1',
  deleting: false,
  orphaning: false,
  foreground: false,
  solid: 0,
  dangling: [],
  waiting: [],
  blocksOwner: false,
  dependentsWait: false,
  hasDependents: false,
  blocking: [],
  ...changes,
});

describe('the garbage collector', () => {
  it('deletes in the background an object all of whose owners are gone', () => {
    expect(decide(object({ dangling: ['a'] }))).toEqual({
      step: 'delete',
      propagation: 'Background',
      breakCircle: false,
    });
  });

  it('leaves an object without owners alone', () => {
    expect(decide(object())).toEqual({ step: 'nothing' });
  });

  it('takes owners that are gone or going out of an object that has another', () => {
    expect(decide(object({ solid: 1, dangling: ['a'], waiting: ['b'] }))).toEqual({
      step: 'release',
      owners: ['a', 'b'],
    });
  });

  it('deletes in the foreground what has dependents and whose owner waits', () => {
    expect(decide(object({ waiting: ['a'], hasDependents: true }))).toMatchObject({
      propagation: 'Foreground',
    });
    expect(decide(object({ waiting: ['a'] }))).toMatchObject({ propagation: 'Background' });
  });

  it('breaks a circle of objects that wait for each other', () => {
    expect(
      decide(object({ waiting: ['a'], hasDependents: true, dependentsWait: true, blocksOwner: true })),
    ).toMatchObject({
      breakCircle: true,
    });
  });

  it('lets an object in foreground deletion go when nothing blocks, and brings up what does', () => {
    expect(decide(object({ deleting: true, foreground: true }))).toEqual({ step: 'unblock' });
    expect(decide(object({ deleting: true, foreground: true, blocking: ['k'] }))).toEqual({
      step: 'wait',
      keys: ['k'],
    });
  });

  it('orphans before anything else', () => {
    expect(decide(object({ deleting: true, orphaning: true, foreground: true }))).toEqual({ step: 'orphan' });
  });

  it('never deletes an object that has a solid owner', () => {
    const uids = fc.array(fc.string(), { maxLength: 2 });
    const any = fc.record({
      deleting: fc.boolean(),
      orphaning: fc.boolean(),
      foreground: fc.boolean(),
      solid: fc.integer({ min: 1, max: 3 }),
      dangling: uids,
      waiting: uids,
      blocksOwner: fc.boolean(),
      dependentsWait: fc.boolean(),
      hasDependents: fc.boolean(),
      blocking: uids,
    });
    fc.assert(
      fc.property(any, (changes) => {
        expect(decide(object(changes)).step).not.toBe('delete');
      }),
    );
  });
});
