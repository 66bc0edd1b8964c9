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
  unseen: false,
  behindMs: 0,
  dangling: [],
  waiting: [],
  blocksOwner: false,
  dependentsWait: false,
  hasDependents: false,
  blocking: [],
  blockedByWaiting: false,
  blocksItself: false,
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

  it('looks again at an object whose owner the API shows and no cache does', () => {
    expect(decide(object({ solid: 1, unseen: true, dangling: ['a'] }))).toMatchObject({ step: 'release' });
    expect(decide(object({ solid: 1 }))).toEqual({ step: 'nothing' });
  });

  it.each([
    [0, 4_000],
    [9_000, 9_000],
    [3_600_000, 300_000],
  ])('of a cache that has been behind for %d ms it expects nothing for %d ms', (behindMs, afterMs) => {
    expect(decide(object({ solid: 1, unseen: true, behindMs }))).toEqual({ step: 'look again', afterMs });
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

  it.each<[string, Partial<ObservedObject>, string]>([
    ['without owners', {}, 'nothing'],
    ['whose owners all exist', { solid: 2 }, 'nothing'],
    ['whose one owner is gone', { dangling: ['a'] }, 'delete Background'],
    ['all of whose owners are gone', { dangling: ['a', 'b'] }, 'delete Background'],
    ['that has dependents and lost its owner', { dangling: ['a'], hasDependents: true }, 'delete Background'],
    ['one of whose owners is gone', { solid: 1, dangling: ['a'] }, 'release a'],
    ['one of whose owners waits', { solid: 1, waiting: ['a'] }, 'release a'],
    ['whose owner waits', { waiting: ['a'] }, 'delete Background'],
    ['whose owner waits, with dependents', { waiting: ['a'], hasDependents: true }, 'delete Foreground'],
    [
      'of whose owners one waits and one is gone',
      { waiting: ['a'], dangling: ['b'], hasDependents: true },
      'delete Foreground',
    ],
    ['that is to orphan and lost its owner', { dangling: ['a'], orphaning: true }, 'delete Orphan'],
    ['that is to wait and lost its owner', { dangling: ['a'], foreground: true }, 'delete Foreground'],
    [
      'that is to orphan before it is to wait',
      { dangling: ['a'], orphaning: true, foreground: true },
      'delete Orphan',
    ],
    [
      'that is to orphan, whose owner waits, with dependents',
      { waiting: ['a'], orphaning: true, hasDependents: true },
      'delete Foreground',
    ],
    [
      'in a circle that blocks',
      { waiting: ['a'], hasDependents: true, dependentsWait: true, blocksOwner: true },
      'delete Foreground loosened',
    ],
    [
      'in a circle that blocks nobody',
      { waiting: ['a'], hasDependents: true, dependentsWait: true },
      'delete Foreground',
    ],
    [
      'that blocks, outside of a circle',
      { waiting: ['a'], hasDependents: true, blocksOwner: true },
      'delete Foreground',
    ],
    ['that goes already', { deleting: true, dangling: ['a'] }, 'nothing'],
    ['that goes and orphans', { deleting: true, orphaning: true }, 'orphan'],
    ['that goes and waits for nothing', { deleting: true, foreground: true }, 'unblock'],
    ['that goes and waits for two', { deleting: true, foreground: true, blocking: ['k', 'l'] }, 'wait k l'],
    [
      'that goes and waits for one that waits',
      { deleting: true, foreground: true, blockedByWaiting: true },
      'wait',
    ],
    [
      'that goes and blocks itself',
      { deleting: true, foreground: true, blockedByWaiting: true, blocksItself: true },
      'break circle',
    ],
    [
      'that goes in the background, though something would block',
      { deleting: true, blocking: ['k'] },
      'nothing',
    ],
  ])('an object %s', (_what, changes, wanted) => {
    const decision = decide(object(changes));
    const said = {
      nothing: [],
      'look again': [],
      orphan: [],
      unblock: [],
      'break circle': [],
      wait: decision.step === 'wait' ? decision.keys : [],
      release: decision.step === 'release' ? decision.owners : [],
      delete:
        decision.step === 'delete'
          ? [decision.propagation, ...(decision.breakCircle ? ['loosened'] : [])]
          : [],
    }[decision.step];
    expect([decision.step, ...said].join(' ')).toBe(wanted);
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
      blockedByWaiting: fc.boolean(),
      blocksItself: fc.boolean(),
    });
    fc.assert(
      fc.property(any, (changes) => {
        expect(decide(object(changes)).step).not.toBe('delete');
      }),
    );
  });
});
