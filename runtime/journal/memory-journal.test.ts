import { describe, expect, it } from 'vitest';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { offJournal } from './journal.ts';
import { createJournal } from './memory-journal.ts';
import type { JournalEvent } from './entry.ts';

const event = (key: string, more: Partial<JournalEvent> = {}): JournalEvent => ({
  kind: 'state',
  controller: 'widget',
  key,
  ...more,
});

const journal = (options: { maxEntries?: number; maxBytes?: number } = {}) =>
  createJournal({ clock: createSimulatedClock(1_000), ...options });

describe('createJournal', () => {
  it('numbers and dates entries and returns the newest entries in order', () => {
    const made = journal();
    for (const key of ['a', 'b', 'c']) made.record(event(key));
    expect(made.read({ limit: 2 }).map(({ seq, key, atMs }) => ({ seq, key, atMs }))).toEqual([
      { seq: 2, key: 'b', atMs: 1_000 },
      { seq: 3, key: 'c', atMs: 1_000 },
    ]);
  });

  it('continues to read from a number without a gap', () => {
    const made = journal();
    for (let i = 1; i <= 10; i++) made.record(event(String(i)));
    const seen: number[] = [];
    for (let since = 0; ;) {
      const part = made.read({ since, limit: 3 });
      if (part.length === 0) break;
      seen.push(...part.map(({ seq }) => seq));
      since = part.at(-1)?.seq ?? since;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('selects by controller and key', () => {
    const made = journal();
    made.record(event('a'));
    made.record(event('a', { controller: 'other' }));
    made.record(event('b'));
    expect(made.read({ controller: 'widget', key: 'a' })).toHaveLength(1);
    expect(made.read({ controller: 'unknown' })).toEqual([]);
  });

  it('drops the oldest entries at its maximum number', () => {
    const made = journal({ maxEntries: 100 });
    for (let i = 1; i <= 1_050; i++) made.record(event(String(i)));
    expect(made.size).toBe(100);
    const kept = made.read();
    expect([kept[0]?.seq, kept.at(-1)?.seq]).toEqual([951, 1_050]);
    expect(made.read({ since: 5 })).toHaveLength(100);
  });

  it('drops the oldest entries at its maximum size', () => {
    const made = journal({ maxBytes: 20_000 });
    for (let i = 0; i < 1_000; i++) made.record(event('k', { error: 'e'.repeat(400) }));
    expect(made.bytes).toBeLessThanOrEqual(20_000);
    expect(made.size).toBeGreaterThan(10);
    expect(made.read().at(-1)?.seq).toBe(1_000);
  });

  it('returns entries unchanged and omits dropped entries', () => {
    const made = journal({ maxEntries: 5_000 });
    const written: JournalEvent[] = [
      {
        kind: 'enqueued',
        controller: 'c',
        key: 'a',
        cause: { type: 'ADDED', resource: 'jobs.batch', object: 'a' },
      },
      {
        kind: 'enqueued',
        controller: 'c',
        key: 'a',
        ms: 0,
        cause: { type: 'MODIFIED', resource: 'pods', object: 'n/b', resourceVersion: '7' },
      },
      { kind: 'reconcile.started', controller: 'c', key: 'a', reconcileId: 'c-1', retries: 0 },
      {
        kind: 'state',
        controller: 'c',
        key: 'a',
        reconcileId: 'c-1',
        state: 'observing',
        event: 'xstate.init',
      },
      {
        kind: 'request',
        controller: 'c',
        key: 'a',
        reconcileId: 'c-1',
        state: 'observe',
        ms: 1.25,
        request: { verb: 'get', resource: 'pods', object: 'n/b', code: '404' },
      },
      {
        kind: 'effect.failed',
        controller: 'c',
        key: 'a',
        reconcileId: 'c-1',
        state: 'observe',
        ms: 2,
        error: 'x',
      },
      {
        kind: 'reconcile.finished',
        controller: 'c',
        key: 'a',
        outcome: 'requeue',
        reason: 'later',
        nextMs: 9_000,
      },
    ];
    for (let round = 0; round < 1_500; round++) for (const each of written) made.record({ ...each });
    const seqs = Array.from({ length: 5_000 }, (_, i) => 1_500 * written.length - 4_999 + i);
    expect(made.read({ limit: 6_000 })).toStrictEqual(
      seqs.map((seq) => ({ ...written[(seq - 1) % written.length], seq, atMs: 1_000 })),
    );
  });

  it('truncates long reasons and errors', () => {
    const made = journal();
    made.record(event('a', { error: 'x'.repeat(100_000), reason: 'y'.repeat(100_000) }));
    expect(made.read()[0]?.error).toHaveLength(512);
    expect(made.read()[0]?.reason).toHaveLength(512);
  });

  it('notifies subscribers until they unsubscribe, even if another subscriber throws', () => {
    const made = journal();
    const seen: string[] = [];
    made.subscribe(() => {
      throw new Error('broken view');
    });
    const leave = made.subscribe(({ key }) => seen.push(key));
    made.record(event('a'));
    leave();
    made.record(event('b'));
    expect(seen).toEqual(['a']);
  });

  it('records nothing if it is offJournal', () => {
    offJournal.record(event('a'));
    expect(offJournal.read()).toEqual([]);
    expect(offJournal.enabled).toBe(false);
  });
});
