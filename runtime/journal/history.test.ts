import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from './entry.ts';
import { type WrittenReconcile, createReconcileWriter } from './history.fixture.ts';
import { History, type HistoryLimits, commonSize } from './history.ts';

/** Creates a history with a function that writes a reconcile into it, one second after the last. */
function written(limits: HistoryLimits = {}) {
  const history = new History(limits);
  const writer = createReconcileWriter(1_000_000);
  const write = (reconcile: WrittenReconcile): readonly JournalEntry[] => {
    writer.atMs += 1_000;
    const entries = writer.write(reconcile);
    for (const entry of entries) history.add(entry);
    return entries;
  };
  return { history, write, writer };
}

const ends = (entries: readonly JournalEntry[]) =>
  entries.filter(({ kind }) => kind === 'reconcile.finished');

describe('History', () => {
  it('returns the entries of a key as they were added', () => {
    const { history, write } = written();
    const cause = { type: 'MODIFIED', resource: 'jobs.batch', object: 'a/b', resourceVersion: '7' } as const;
    const all = [
      ...write({ key: 'a', cause }),
      ...write({ key: 'a', outcome: 'failed', error: 'conflict at 17', creates: 'a/job-1' }),
      ...write({ key: 'a', outcome: 'requeue', reason: 'not due (after 12 ms)' }),
    ];
    write({ key: 'b' });
    expect(history.ofKey('a', 'cronjob')).toEqual(all);
    expect(history.ofKey('a', 'other')).toEqual([]);
    expect(history.between(0, Infinity, 'cronjob')).toHaveLength(all.length + 8);
  });

  it('folds equal failures into the first and the last three, with their number', () => {
    const { history, write } = written();
    const first = write({ key: 'a', outcome: 'failed', error: 'no quota 0' }).at(-1)?.atMs;
    for (let i = 1; i < 412; i++) write({ key: 'a', outcome: 'failed', error: `no quota ${i}` });
    const kept = ends(history.ofKey('a'));
    expect(kept.map(({ repeats = 0 }) => repeats)).toEqual([0, 408, 0, 0]);
    expect(kept[0]?.atMs).toBe(first);
    expect(kept.at(-1)?.error).toBe('no quota 411');
    write({ key: 'a', outcome: 'failed', error: 'another reason' });
    expect(ends(history.ofKey('a'))).toHaveLength(5);
  });

  it('keeps the user who requested a reconcile among many equal ones', () => {
    const { history, write } = written({ maxKeyBytes: 40_000 });
    for (let i = 0; i < 400; i++) write({ key: 'a', ...(i === 200 && { requester: 'alice' }) });
    const requested = history.ofKey('a').filter(({ reason }) => reason === 'requested by alice');
    expect(requested).toHaveLength(1);
    expect(ends(history.ofKey('a')).length).toBeLessThan(12);
  });

  it('folds reconciles that write only when the key exceeds its budget', () => {
    const { history, write } = written({ maxKeyBytes: 40_000 });
    write({ key: 'a', outcome: 'failed', error: 'at first' });
    for (let i = 0; i < 20; i++) write({ key: 'a', creates: `a/job-${i}` });
    expect(ends(history.ofKey('a'))).toHaveLength(21);
    for (let i = 20; i < 2_000; i++) write({ key: 'a', creates: `a/job-${i}` });
    const kept = ends(history.ofKey('a'));
    expect(kept[0]?.error).toBe('at first');
    expect(kept.reduce((sum, { repeats = 0 }) => sum + 1 + repeats, 0)).toBe(2_001);
  });

  it('keeps each change of the final state when it drops reconciles on different ways', () => {
    const { history, write } = written({ maxKeyBytes: 40_000 });
    const wanted = Array.from({ length: 12 }, (_, at) => `state-${at}`);
    for (const state of wanted)
      for (let i = 0; i < 60; i++) write({ key: 'a', state, ...(i % 3 === 0 ? { creates: `a/${i}` } : {}) });
    const states = history.ofKey('a').flatMap(({ state }) => (state?.startsWith('state-') ? [state] : []));
    expect([...new Set(states)]).toEqual(wanted);
    expect(history.bytes).toBeLessThanOrEqual(41_000);
  });

  it('keeps the reconciles around a deletion', () => {
    const { history, write } = written();
    const cause = { type: 'DELETED', resource: 'cronjobs.batch', object: 'a' } as const;
    for (let i = 0; i < 10; i++) write({ key: 'a' });
    write({ key: 'a', cause });
    for (let i = 0; i < 10; i++) write({ key: 'a' });
    const types = history.ofKey('a').map((entry) => entry.cause?.type);
    expect(types.filter((type) => type === 'DELETED')).toHaveLength(1);
  });

  it('bounds the entries of a reconcile, and of a key that waits, without losing a deletion', () => {
    const { history, writer } = written();
    let seq = 0;
    const add = (entry: Omit<JournalEntry, 'seq' | 'atMs' | 'controller' | 'key'>): void =>
      history.add({ ...entry, seq: ++seq, atMs: writer.atMs, controller: 'c', key: 'a' });
    const cause = { type: 'DELETED', resource: 'namespaces', object: 'a' } as const;
    add({ kind: 'enqueued', cause });
    for (let i = 0; i < 1_000; i++) add({ kind: 'enqueued', cause: { ...cause, object: `a/${i}` } });
    expect(history.ofKey('a')).toHaveLength(8);
    const request = { verb: 'delete', resource: 'pods', object: 'a/x', code: '200' };
    add({ kind: 'reconcile.started', reconcileId: 'c-1', retries: 0 });
    for (let i = 0; i < 1_000; i++) add({ kind: 'request', reconcileId: 'c-1', request });
    add({ kind: 'reconcile.finished', reconcileId: 'c-1', outcome: 'settled' });
    const kept = history.ofKey('a');
    expect(kept.length).toBeLessThan(320);
    expect(kept[0]?.cause).toEqual(cause);
    expect(kept.at(-1)?.kind).toBe('reconcile.finished');
  });

  it('returns the last reconcile of each key before a period, and all within it', () => {
    const { history, write, writer } = written();
    const early = write({ key: 'quiet' });
    for (let i = 0; i < 30; i++) write({ key: 'busy', creates: `job-${i}` });
    const to = writer.atMs;
    write({ key: 'late' });
    const seen = history.around(to - 9_000, to);
    expect(ends(seen).filter(({ key }) => key === 'busy')).toHaveLength(10);
    expect(seen.filter(({ key }) => key === 'quiet')).toEqual(early);
    expect(seen.some(({ key }) => key === 'late')).toBe(false);
  });

  it('removes keys of deleted objects first when there are too many keys', () => {
    const { history, write } = written({ maxKeys: 64 });
    for (let i = 0; i < 32; i++) write({ key: `live-${i}` });
    for (let i = 0; i < 500; i++)
      write({ key: `job-${i}`, cause: { type: 'DELETED', resource: 'jobs.batch', object: `job-${i}` } });
    expect(history.keys).toBeLessThanOrEqual(64);
    for (let i = 0; i < 32; i++) expect(history.ofKey(`live-${i}`)).toHaveLength(8);
  });

  it('stays within its bounds, and takes nothing from a key below an equal share', () => {
    const maxBytes = 200_000;
    const reconcile = fc.record({
      key: fc.nat(9).map((n) => `key-${n}`),
      error: fc.oneof(fc.constant('same'), fc.string({ maxLength: 600 })),
      times: fc.nat(60),
      creates: fc.option(fc.string({ maxLength: 40 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(reconcile, { maxLength: 60 }), (noise) => {
        const { history, write } = written({ maxBytes, maxKeyBytes: 60_000, maxKeys: 12 });
        const quiet = Array.from({ length: 4 }, (_, i) => write({ key: 'quiet', state: `s${i}` })).flat();
        for (const { key, error, times, creates } of noise)
          for (let i = 0; i < times; i++) {
            const made = creates === undefined ? {} : { creates: `${creates}${i}` };
            write({ key, outcome: 'failed', error: `${error}${i % 2 === 0 ? 'x' : ''}`, ...made });
            expect(history.bytes).toBeLessThanOrEqual(maxBytes);
          }
        expect(history.ofKey('quiet')).toEqual(quiet);
      }),
      { numRuns: 25 },
    );
  });

  it('reduces sizes to a common size whose sum is within the bound', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10_000), { minLength: 1 }), fc.nat(100_000), (sizes, wanted) => {
        const level = commonSize(sizes, wanted);
        const sum = sizes.reduce((total, size) => total + Math.min(size, level), 0);
        expect(sum).toBeLessThanOrEqual(wanted + 1e-6);
        expect(level).toBeGreaterThanOrEqual(wanted / sizes.length);
      }),
    );
  });
});
