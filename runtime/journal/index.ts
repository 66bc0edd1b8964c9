export type { AttentionItem, ObjectLink } from './attention-item.ts';
export type { JournalCause, JournalEntry, JournalRequest } from './entry.ts';
export { type JournalFile, journalLines, readJournalFile } from './file.ts';
export type { JournalQuery } from './journal.ts';
export type { ReconcileEnd } from './history.ts';
export { finishedIn, selectEntries } from './recorded.ts';
