import { describe, expect, it } from 'vitest';
import { journalLines, readJournalFile } from './file.ts';
import type { JournalEntry } from './journal.ts';

const entries: readonly JournalEntry[] = [
  { seq: 7, atMs: 10, kind: 'pass.started', controller: 'c', key: 'a', passId: 'c-1' },
  { seq: 8, atMs: 12, kind: 'state', controller: 'c', key: 'a', passId: 'c-1', state: 'observing' },
];
const written = (): string => [...journalLines({ charts: { c: { id: 'c' } }, entries })].join('\n');

describe('a journal file', () => {
  it('gives back what was written', () =>
    expect(readJournalFile(`${written()}\n`)).toEqual({ charts: { c: { id: 'c' } }, entries }));

  it('is read without its last line when that was cut off', () =>
    expect(readJournalFile(written().slice(0, -5)).entries).toEqual([entries[0]]));

  it.each([
    ['{"kind":"Pod"}', 'kind Journal'],
    ['{"kind":"Journal","version":2}', 'version 1 can be read'],
    ['{"kind":"Journal","version":1}\nnonsense\n{}', 'line 2 of the journal is no JSON'],
    ['{"kind":"Journal","version":1}\n{"seq":1}', 'line 2 of the journal is no entry'],
  ])('%j is refused', (text, why) => expect(() => readJournalFile(text)).toThrow(why));
});
