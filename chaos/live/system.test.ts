import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../runtime/index.ts';
import { type Manager, createJournals } from './system.ts';

const START_MS = Date.UTC(2026, 0, 1);

function setUp() {
  let nowMs = START_MS;
  let answers: readonly JournalEntry[] | undefined = [];
  const program = { name: 'one', running: true } as Manager['program'];
  const manager = {
    program,
    journalSince: () => (answers ? Promise.resolve(answers) : Promise.reject(new Error('no answer'))),
  } as unknown as Manager;
  const journals = createJournals([manager], { now: () => nowMs });
  return {
    journals,
    /**
     * Sets the manager's journal: one entry for each time of the manager's clock, in milliseconds. Undefined
     * makes the manager unreachable.
     */
    notes(...wallMs: readonly number[]) {
      answers = wallMs.map((ms, i) => ({
        seq: i + 1,
        atMs: START_MS + ms,
        kind: 'enqueued',
        controller: 'x',
        key: 'a',
      }));
    },
    isSilent: () => void (answers = undefined),
    at: (ms: number) => void (nowMs = START_MS + ms),
    entryTimes: () =>
      journals.entries.map(({ atMs, event }) => [atMs - START_MS, event === 'started' ? 'started' : 'noted']),
  };
}

describe('journals of managers that crash', () => {
  it('contain each entry once, with true times for any clock offset', async () => {
    const { journals, notes, at, entryTimes } = setUp();
    at(1_000);
    journals.clockSet('one', 60_000);
    at(2_000);
    notes(500, 61_500);
    await journals.poll();
    await journals.poll();
    expect(entryTimes()).toEqual([
      [500, 'noted'],
      [1_500, 'noted'],
    ]);
  });

  it('date entries before the next start, even if the clock is ambiguous', async () => {
    const { journals, notes, at, entryTimes } = setUp();
    journals.clockSet('one', 1_040);
    at(1_000);
    journals.clockSet('one', 0);
    // Both clock offsets could explain 1.1 s, but with one of them the entry would be in the future.
    at(1_060);
    notes(1_100);
    await journals.poll('one');
    at(1_061);
    journals.started('one');
    expect(entryTimes()).toEqual([
      [1_060, 'noted'],
      [1_061, 'started'],
    ]);
  });

  it('report whether all running managers responded', async () => {
    const { journals, isSilent } = setUp();
    expect(await journals.poll()).toBe(true);
    isSilent();
    expect(await journals.poll()).toBe(false);
  });
});
