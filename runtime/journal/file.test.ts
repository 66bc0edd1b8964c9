import { describe, expect, it } from 'vitest';
import { journalLines, readJournalFile } from './file.ts';
import type { JournalEntry } from './entry.ts';

const entries: readonly JournalEntry[] = [
  { seq: 7, atMs: 10, kind: 'reconcile.started', controller: 'c', key: 'a', reconcileId: 'c-1' },
  { seq: 8, atMs: 12, kind: 'state', controller: 'c', key: 'a', reconcileId: 'c-1', state: 'observing' },
];
const written = (): string => [...journalLines({ charts: { c: { id: 'c' } }, entries })].join('\n');

describe('a journal file', () => {
  it('contains the written charts and entries', () =>
    expect(readJournalFile(`${written()}\n`)).toEqual({ charts: { c: { id: 'c' } }, entries }));

  it('is read without its last line if that is truncated', () =>
    expect(readJournalFile(written().slice(0, -5)).entries).toEqual([entries[0]]));

  it('is read with the names of version 2 if it has version 1', () => {
    const first = written()
      .replace('"version":2', '"version":1')
      .replaceAll('reconcile.started', 'pass.started')
      .replaceAll('reconcileId', 'passId');
    expect(first).toContain('"passId":"c-1"');
    expect(readJournalFile(first).entries).toEqual(entries);
  });

  it.each([
    ['{"kind":"Pod"}', 'kind Journal'],
    ['{"kind":"Journal","version":3}', 'expected version 1 or 2'],
    ['{"kind":"Journal","version":1}\nnonsense\n{}', 'line 2 of the journal is not valid JSON'],
    ['{"kind":"Journal","version":1}\n{"seq":1}', 'line 2 of the journal is not an entry'],
  ])('is rejected with the content %j', (text, why) => expect(() => readJournalFile(text)).toThrow(why));
});
