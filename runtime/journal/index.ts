export type { JournalCause, JournalEntry, JournalRequest } from './entry.ts';
export { type JournalFile, journalLines, readJournalFile } from './file.ts';
export type { JournalQuery } from './journal.ts';
export { selectEntries } from './recorded.ts';
