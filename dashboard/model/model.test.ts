import { describe, expect, it } from 'vitest';
import type { JournalEntry, JournalEvent } from '../../runtime/journal/entry.ts';
import { recordedJournal } from '../../runtime/journal/recorded.ts';
import { diffLines } from './diff.ts';
import { type ControllerDocument, type KeysDocument, type Overview, documentAt } from './documents.ts';
import type { View } from './view.ts';
import { durationText } from './durations.ts';
import { JournalModel } from './journal-model.ts';
import { reconcilesOf } from './reconciles.ts';
import { Replay } from './replay.ts';
import { Tally } from './tally.ts';
import { firstItem, withoutManagedFields } from './yaml-text.ts';

const START = Date.UTC(2026, 0, 1);

/** Returns numbered entries that are ten milliseconds apart. */
const entriesOf = (events: readonly Omit<JournalEvent, 'controller'>[]): readonly JournalEntry[] =>
  events.map((event, at) => ({ controller: 'c', ...event, seq: at + 1, atMs: START + at * 10 }));

/** Returns the events of a reconcile that observes its object and then ends in a state. */
const reconcile = (
  key: string,
  reconcileId: string,
  end: string,
  finished: Partial<JournalEvent> = { outcome: 'settled' },
): readonly Omit<JournalEvent, 'controller'>[] => [
  { kind: 'reconcile.started', key, reconcileId, retries: 0 },
  { kind: 'state', key, reconcileId, state: 'observing', event: 'xstate.init' },
  { kind: 'state', key, reconcileId, state: end, event: 'xstate.done.actor.observe' },
  { kind: 'reconcile.finished', key, reconcileId, ms: 20, ...finished },
];

function viewOf(entries: readonly JournalEntry[]): View {
  const model = new JournalModel();
  for (const entry of entries) model.apply(entry);
  const journal = recordedJournal(entries);
  return {
    model,
    nowMs: model.atMs,
    entries: (query) => journal.read(query),
    finished: (visit) => journal.finished(visit),
  };
}

const ask = <T>(view: View, url: string): T => {
  const [path = '', query] = url.split('?');
  return documentAt(view, path, new URLSearchParams(query)) as T;
};

describe('Tally', () => {
  it('sums the values of the last window, and all values', () => {
    const tally = new Tally();
    tally.add(START, 3);
    tally.add(START + 60_000);
    expect(tally.within(START + 60_000, 60_000)).toBe(1);
    expect(tally.within(START + 60_000, 300_000)).toBe(4);
    expect(tally.within(START + 600_000, 300_000)).toBe(0);
    expect(tally.within(START + 600_000, Number.POSITIVE_INFINITY)).toBe(4);
  });

  it('adds a late value to the bucket of its time, and ignores a value that is older than all buckets', () => {
    const tally = new Tally();
    tally.add(START + 400_000);
    tally.add(START + 395_000);
    tally.add(START);
    expect(tally.series(START + 400_000).slice(-2)).toEqual([1, 1]);
    expect(tally.within(START + 400_000, 300_000)).toBe(2);
  });
});

describe('JournalModel', () => {
  const entries = entriesOf([
    ...reconcile('a', 'c-1', 'settled'),
    ...reconcile('b', 'c-2', 'failed', { outcome: 'failed', error: 'no', nextMs: START + 9_000 }),
    ...reconcile('a', 'c-3', 'settled'),
  ]);

  it('counts keys by state and transitions by edge', () => {
    const document = ask<ControllerDocument>(viewOf(entries), 'controllers/c?window=60');
    expect(document.counts).toEqual({ settled: 1, failed: 1 });
    expect(document.edges.map(({ from, to, taken }) => [from, to, taken])).toEqual([
      ['observing', 'settled', 2],
      ['observing', 'failed', 1],
    ]);
    expect(document.edges[0]?.last.map(({ key, seq }) => [key, seq])).toEqual([
      ['a', 3],
      ['a', 11],
    ]);
    expect(document.states.find(({ state }) => state === 'observing')).toMatchObject({
      keys: 0,
      visits: 3,
      meanMs: 10,
      longestMs: 10,
    });
    expect(document).toMatchObject({ failing: 1, failures: 1, keys: 2 });
  });

  it('returns the keys of a state in pages, sorted by the time at which each key entered the state', () => {
    const many = viewOf(
      entriesOf(Array.from({ length: 50 }, (_, at) => reconcile(`k${at}`, `c-${at}`, 'settled')).flat()),
    );
    const page = ask<KeysDocument>(many, 'controllers/c/keys?state=settled&offset=10&limit=2');
    expect(page).toMatchObject({ total: 50, offset: 10 });
    expect(page.items.map(({ key }) => key)).toEqual(['k10', 'k11']);
    expect(ask<KeysDocument>(many, 'controllers/c/keys?search=k4').total).toBe(11);
    expect(ask<KeysDocument>(many, 'controllers/c/keys?state=failed').total).toBe(0);
  });

  it('removes the key of a deleted object after its next settled reconcile', () => {
    const deleted = { type: 'DELETED', resource: 'widgets', object: 'a' } as const;
    const left = viewOf([
      ...entries,
      ...entriesOf([{ kind: 'enqueued', key: 'a', cause: deleted }, ...reconcile('a', 'c-4', 'settled')]),
    ]);
    expect(ask<ControllerDocument>(left, 'controllers/c').counts).toEqual({ failed: 1 });
  });

  it('counts a key in its current state during a reconcile', () => {
    const begun = viewOf(entries.slice(0, 10));
    expect(ask<ControllerDocument>(begun, 'controllers/c').counts).toEqual({ failed: 1, observing: 1 });
  });

  it('returns undefined for an unknown path', () => {
    expect(documentAt(viewOf(entries), 'controllers/x', new URLSearchParams())).toBeUndefined();
    expect(documentAt(viewOf(entries), 'secrets', new URLSearchParams())).toBeUndefined();
    expect(documentAt(viewOf(entries), 'controllers/c/keys/a', new URLSearchParams())).toBeUndefined();
  });

  it('includes controllers without entries', () => {
    const facts = {
      controllers: [{ name: 'idle', problems: [], watches: [], keyed: false }],
      informers: [],
      shared: false,
      replicas: [],
    };
    const overview = ask<Overview>({ ...viewOf(entries), facts }, 'controllers');
    expect(overview.controllers.map(({ name, keys }) => [name, keys])).toEqual([
      ['c', 2],
      ['idle', 0],
    ]);
  });
});

describe('Replay', () => {
  const replay = (): Replay =>
    new Replay({
      charts: {},
      entries: entriesOf([...reconcile('a', 'c-1', 'settled'), ...reconcile('b', 'c-2', 'failed')]),
    });
  const counts = (at: Replay): object => ask<ControllerDocument>(at.view(), 'controllers/c').counts;

  it('has the state at each position, both forwards and backwards', () => {
    const played = replay();
    expect(counts(played)).toEqual({ settled: 1, failed: 1 });
    played.seek(2);
    expect(counts(played)).toEqual({ observing: 1 });
    played.seek(3);
    expect(counts(played)).toEqual({ settled: 1 });
    expect(played.view().entries({ key: 'b' })).toEqual([]);
  });

  it('moves to the next entry that matches, and stays if no entry matches', () => {
    const played = replay();
    played.step(-1, ({ key }) => key === 'a');
    expect(played.current).toMatchObject({ seq: 4, key: 'a' });
    played.step(1, ({ key }) => key === 'a');
    expect(played.position).toBe(4);
    played.seek(0);
    expect(played.current).toBeUndefined();
  });
});

describe('reconcilesOf', () => {
  it('returns each reconcile with the durations of its states, its requests and its causes', () => {
    const cause = { type: 'MODIFIED', resource: 'widgets', object: 'a', resourceVersion: '7' } as const;
    const request = { verb: 'update', resource: 'widgets', object: 'a', code: '409' };
    const [started, observing, end, finished] = reconcile('a', 'c-1', 'failed', {
      outcome: 'failed',
      error: 'conflict',
    });
    if (!started || !observing || !end || !finished) throw new Error('a reconcile has four entries');
    const { reconciles, waiting } = reconcilesOf(
      entriesOf([
        { kind: 'enqueued', key: 'a', cause },
        started,
        observing,
        { kind: 'request', key: 'a', reconcileId: 'c-1', state: 'observe', ms: 3, request },
        { kind: 'effect.failed', key: 'a', reconcileId: 'c-1', state: 'observe', error: 'conflict' },
        end,
        finished,
        { kind: 'enqueued', key: 'a', ms: 500 },
        { kind: 'enqueued', key: 'a', cause },
        // Another process has covered the change. The delayed requeue remains.
        { kind: 'covered', key: 'a' },
      ]),
    );
    expect(reconciles).toMatchObject([
      {
        reconcileId: 'c-1',
        outcome: 'failed',
        error: 'conflict',
        causes: [{ cause }],
        steps: [
          { state: 'observing', ms: 30, requests: [{ ...request, ms: 3 }], error: 'conflict' },
          { state: 'failed', requests: [] },
        ],
      },
    ]);
    expect(waiting).toEqual([{ atMs: START + 70, afterMs: 500 }]);
  });
});

describe('formatting', () => {
  it('durationText chooses the unit by size', () =>
    expect([0, 0.4, 12.4, 1_240, 59_000, 90_000, 7_200_000, 300_000_000].map(durationText)).toEqual([
      '0 ms',
      '<1 ms',
      '12 ms',
      '1.2 s',
      '59 s',
      '2 min',
      '2 h',
      '3 d',
    ]));

  it('diffLines marks removed and added lines', () =>
    expect(diffLines('a\nb\nc\nd\n', 'a\nc\nx\nd\n').map(({ sign, text }) => sign + text)).toEqual([
      ' a',
      '-b',
      ' c',
      '+x',
      ' d',
    ]));

  const list = 'apiVersion: v1\nitems:\n- metadata:\n    name: a\n- metadata:\n    name: b\nkind: PodList\n';
  it('firstItem returns the first item of a list as a single object', () => {
    expect(firstItem(list)).toBe('apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n');
    expect(firstItem('items: []\n')).toBeUndefined();
  });

  it('withoutManagedFields removes only the managed fields', () =>
    expect(
      withoutManagedFields(
        'metadata:\n  managedFields:\n  - a: 1\n    f:\n      g: {}\n  name: a\nspec: {}\n',
      ),
    ).toBe('metadata:\n  name: a\nspec: {}\n'));
});
