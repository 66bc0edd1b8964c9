import { describe, expect, it } from 'vitest';
import { arrivalsOf } from './arrivals.ts';

const object = { key: 'team/a', uid: 'u1', owners: [], change: 'update jobs' };
const stored = { step: 4, atMs: 40, lane: 'store', text: '', object };

describe('the arrivals of a change', () => {
  const notifications = [
    { step: 3, atMs: 30, process: 'one', version: 'u1@7', isDeletion: false },
    { step: 5, atMs: 50, process: 'one', version: 'u1@8', isDeletion: false },
    { step: 6, atMs: 60, process: 'one', version: 'u1@8', isDeletion: false },
    { step: 9, atMs: 90, process: 'two', version: 'u1@8', isDeletion: false },
    { step: 10, atMs: 95, process: 'two', version: 'u1@8', isDeletion: true },
    { step: 11, atMs: 99, process: 'two', version: 'u2@8', isDeletion: true },
  ];

  it('are the first ones of its version in each process', () => {
    expect(arrivalsOf({ ...stored, revision: '8' }, notifications).arrivals).toEqual([
      { step: 5, atMs: 50, process: 'one' },
      { step: 9, atMs: 90, process: 'two' },
    ]);
  });

  it('are those of a deletion, if the change removed the object', () => {
    expect(arrivalsOf(stored, notifications).arrivals).toEqual([{ step: 10, atMs: 95, process: 'two' }]);
  });

  it('are left out if no process received the change', () => {
    expect(arrivalsOf({ ...stored, revision: '9' }, notifications)).toEqual({});
  });
});
