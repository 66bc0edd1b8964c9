import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../runtime/journal/entry.ts';
import { createReconcileWriter } from '../../runtime/journal/history.fixture.ts';
import { History } from '../../runtime/journal/history.ts';
import { JournalModel } from './journal-model.ts';
import { Replay } from './replay.ts';

const step = fc.record({
  key: fc.nat(5).map((n) => `key-${n}`),
  state: fc.constantFrom('waiting', 'settled', 'creating'),
  outcome: fc.constantFrom('settled' as const, 'failed' as const, 'requeue' as const),
  type: fc.constantFrom('ADDED' as const, 'MODIFIED' as const, 'MODIFIED' as const, 'DELETED' as const),
  times: fc.integer({ min: 1, max: 12 }),
});

/** Returns state, outcome and time of each key at a moment. */
function keysOf(model: JournalModel): readonly unknown[] {
  const keys = [...(model.controllers.get('cronjob')?.keys.values() ?? [])];
  return keys
    .map(({ key, state, outcome, sinceMs }) => ({ key, state, outcome, sinceMs }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

describe('a moment of a history', () => {
  it('has exactly the keys and states that all entries until then have', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 40 }),
        fc.double({ min: 0, max: 1 }),
        (steps, part) => {
          const history = new History();
          const writer = createReconcileWriter(1_000_000);
          const all: JournalEntry[] = [];
          for (const { key, state, outcome, type, times } of steps)
            for (let n = 0; n < times; n++) {
              writer.atMs += 1_000;
              const cause = {
                type: n === 0 ? type : 'MODIFIED',
                resource: 'cronjobs.batch',
                object: key,
              } as const;
              all.push(...writer.write({ key, state, outcome, cause }));
            }
          for (const entry of all) history.add(entry);
          // Folded reconciles ended as those before them, so only the time of the last one may be earlier.
          const atMs = 1_000_000 + Math.ceil(part * (writer.atMs - 1_000_000));
          const expected = new JournalModel();
          for (const entry of all) if (entry.atMs <= atMs) expected.apply(entry);
          const replay = new Replay({ charts: {}, entries: history.around(atMs, atMs + 300_000) });
          replay.seekTime(atMs);
          const shown = keysOf(replay.view().model) as readonly { sinceMs: number }[];
          const wanted = keysOf(expected) as readonly { sinceMs: number }[];
          expect(shown.map((key) => ({ ...key, sinceMs: 0 }))).toEqual(
            wanted.map((key) => ({ ...key, sinceMs: 0 })),
          );
          shown.forEach(({ sinceMs }, at) => expect(sinceMs).toBeLessThanOrEqual(wanted[at]?.sinceMs ?? 0));
        },
      ),
      { numRuns: 60 },
    );
  });
});
