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
    /** What the manager has noted, each at so many milliseconds by its own clock; undefined: it does not answer. */
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
    told: () =>
      journals.entries.map(({ atMs, event }) => [atMs - START_MS, event === 'started' ? 'started' : 'noted']),
  };
}

describe('journals of managers that die', () => {
  it('are told in true time, each entry once, however far off the clock was', async () => {
    const { journals, notes, at, told } = setUp();
    at(1_000);
    journals.clockSet('one', 60_000);
    at(2_000);
    notes(500, 61_500);
    await journals.poll();
    await journals.poll();
    expect(told()).toEqual([
      [500, 'noted'],
      [1_500, 'noted'],
    ]);
  });

  it('what was read before a new life began is no later than that, though the clock tells two times for it', async () => {
    const { journals, notes, at, told } = setUp();
    journals.clockSet('one', 1_040);
    at(1_000);
    journals.clockSet('one', 0);
    // 1.1 s by either clock might be meant: the later time has not come.
    at(1_060);
    notes(1_100);
    await journals.poll('one');
    at(1_061);
    journals.started('one');
    expect(told()).toEqual([
      [1_060, 'noted'],
      [1_061, 'started'],
    ]);
  });

  it('says whether all that run have answered', async () => {
    const { journals, isSilent } = setUp();
    expect(await journals.poll()).toBe(true);
    isSilent();
    expect(await journals.poll()).toBe(false);
  });
});
