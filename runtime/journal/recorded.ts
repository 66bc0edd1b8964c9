import type { Journal, JournalQuery } from './journal.ts';
import type { JournalEntry } from './entry.ts';
import type { ReconcileEnd } from './history.ts';

/** Returns the selected entries, oldest first, as `Journal.read` does. */
export function selectEntries(
  entries: readonly JournalEntry[],
  { controller, key, since, limit = 1_000 }: JournalQuery = {},
): readonly JournalEntry[] {
  const found = entries.filter(
    (entry) =>
      (controller === undefined || entry.controller === controller) &&
      (key === undefined || entry.key === key) &&
      entry.seq > (since ?? 0),
  );
  return since === undefined ? found.slice(Math.max(0, found.length - limit)) : found.slice(0, limit);
}

/** Calls `visit` for each finished reconcile in the entries. */
export function finishedIn(entries: Iterable<JournalEntry>, visit: (reconcile: ReconcileEnd) => void): void {
  for (const { kind, controller, key, atMs, outcome, repeats = 0 } of entries)
    if (kind === 'reconcile.finished') visit({ controller, key, endMs: atMs, outcome, repeats });
}

/** Creates a read-only journal from recorded entries. */
export const recordedJournal = (entries: readonly JournalEntry[]): Journal => ({
  enabled: false,
  record: () => {},
  read: (query) => selectEntries(entries, query),
  subscribe: () => () => {},
  around: (_, toMs) => entries.filter(({ atMs }) => atMs <= toMs),
  finished: (visit) => finishedIn(entries, visit),
  size: entries.length,
  bytes: 0,
});
