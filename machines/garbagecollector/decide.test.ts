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

describe('decide', () => {
  it('deletes an object in the background if none of its owners exists', () => {
    expect(decide(object({ dangling: ['a'] }))).toEqual({
      step: 'delete',
      propagation: 'Background',
      breakCircle: false,
    });
  });

  it('does nothing for an object without owners', () => {
    expect(decide(object())).toEqual({ step: 'nothing' });
  });

  it('releases owners that do not exist or are being deleted if another owner exists', () => {
    expect(decide(object({ solid: 1, dangling: ['a'], waiting: ['b'] }))).toEqual({
      step: 'release',
      owners: ['a', 'b'],
    });
  });

  it('rechecks an object with an owner that the API returns and the caches lack', () => {
    expect(decide(object({ solid: 1, unseen: true, dangling: ['a'] }))).toMatchObject({ step: 'release' });
    expect(decide(object({ solid: 1 }))).toEqual({ step: 'nothing' });
  });

  it.each([
    [0, 4_000],
    [9_000, 9_000],
    [3_600_000, 300_000],
  ])('rechecks with a cache that is %d ms behind after %d ms', (behindMs, afterMs) => {
    expect(decide(object({ solid: 1, unseen: true, behindMs }))).toEqual({ step: 'recheck', afterMs });
  });

  it('deletes in the foreground if the object has dependents and its owner waits for them', () => {
    expect(decide(object({ waiting: ['a'], hasDependents: true }))).toMatchObject({
      propagation: 'Foreground',
    });
    expect(decide(object({ waiting: ['a'] }))).toMatchObject({ propagation: 'Background' });
  });

  it('breaks a cycle of objects that wait for each other', () => {
    expect(
      decide(object({ waiting: ['a'], hasDependents: true, dependentsWait: true, blocksOwner: true })),
    ).toMatchObject({
      breakCircle: true,
    });
  });

  it('removes the foreground finalizer if nothing blocks, and otherwise enqueues the blocking dependents', () => {
    expect(decide(object({ deleting: true, foreground: true }))).toEqual({ step: 'unblock' });
    expect(decide(object({ deleting: true, foreground: true, blocking: ['k'] }))).toEqual({
      step: 'wait',
      keys: ['k'],
    });
  });

  it('orphans dependents before any other step', () => {
    expect(decide(object({ deleting: true, orphaning: true, foreground: true }))).toEqual({ step: 'orphan' });
  });

  it.each<[string, Partial<ObservedObject>, string]>([
    ['without owners', {}, 'nothing'],
    ['whose owners all exist', { solid: 2 }, 'nothing'],
    ['whose only owner does not exist', { dangling: ['a'] }, 'delete Background'],
    ['with two owners that do not exist', { dangling: ['a', 'b'] }, 'delete Background'],
    [
      'with dependents whose owner does not exist',
      { dangling: ['a'], hasDependents: true },
      'delete Background',
    ],
    ['with one solid owner and one that does not exist', { solid: 1, dangling: ['a'] }, 'release a'],
    ['with one solid owner and one that waits', { solid: 1, waiting: ['a'] }, 'release a'],
    ['whose owner waits', { waiting: ['a'] }, 'delete Background'],
    ['with dependents whose owner waits', { waiting: ['a'], hasDependents: true }, 'delete Foreground'],
    [
      'with one owner that waits and one that does not exist',
      { waiting: ['a'], dangling: ['b'], hasDependents: true },
      'delete Foreground',
    ],
    [
      'with the orphan finalizer whose owner does not exist',
      { dangling: ['a'], orphaning: true },
      'delete Orphan',
    ],
    [
      'with the foreground finalizer whose owner does not exist',
      { dangling: ['a'], foreground: true },
      'delete Foreground',
    ],
    [
      'with both finalizers whose owner does not exist',
      { dangling: ['a'], orphaning: true, foreground: true },
      'delete Orphan',
    ],
    [
      'with the orphan finalizer and dependents whose owner waits',
      { waiting: ['a'], orphaning: true, hasDependents: true },
      'delete Foreground',
    ],
    [
      'in a cycle that blocks its owner',
      { waiting: ['a'], hasDependents: true, dependentsWait: true, blocksOwner: true },
      'delete Foreground loosened',
    ],
    [
      'in a cycle that blocks no owner',
      { waiting: ['a'], hasDependents: true, dependentsWait: true },
      'delete Foreground',
    ],
    [
      'that blocks its owner outside a cycle',
      { waiting: ['a'], hasDependents: true, blocksOwner: true },
      'delete Foreground',
    ],
    ['that is already being deleted', { deleting: true, dangling: ['a'] }, 'nothing'],
    ['being deleted with the orphan finalizer', { deleting: true, orphaning: true }, 'orphan'],
    ['being deleted that waits for nothing', { deleting: true, foreground: true }, 'unblock'],
    [
      'being deleted that waits for two dependents',
      { deleting: true, foreground: true, blocking: ['k', 'l'] },
      'wait k l',
    ],
    [
      'being deleted that waits for a dependent that waits itself',
      { deleting: true, foreground: true, blockedByWaiting: true },
      'wait',
    ],
    [
      'being deleted that blocks itself',
      { deleting: true, foreground: true, blockedByWaiting: true, blocksItself: true },
      'break circle',
    ],
    [
      'being deleted in the background with a blocking dependent',
      { deleting: true, blocking: ['k'] },
      'nothing',
    ],
  ])('decides for an object %s', (_what, changes, wanted) => {
    const decision = decide(object(changes));
    const said = {
      nothing: [],
      recheck: [],
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
