import { readFileSync, statSync } from 'node:fs';
import { isRecord } from '../../base/collections/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { JournalEntry } from './entry.ts';
import { readJournalFile } from './file.ts';

/** Content of a segment of a journal directory. */
export interface ReadSegment {
  readonly bytes: number;
  readonly startedMs: number;
  readonly entries: readonly JournalEntry[];
  /** Reasons why lines were skipped. */
  readonly skipped: readonly string[];
}

/** Returns the header of a segment that begins at `startedMs`, as a line. */
export const segmentHead = (startedMs: number): string =>
  `${JSON.stringify({ kind: 'Journal', version: 2, startedMs, charts: {} })}\n`;

/**
 * Reads a segment, which is a journal file. Identifiers of reconciles begin with the start of the segment, because
 * each process counts them from 1. A truncated last line is ignored: the writer may have been killed. Lines that
 * are no entries are skipped.
 */
export function readSegment(path: string): ReadSegment {
  const bytes = statSync(path).size;
  const text = readFileSync(path, 'utf8');
  const end = text.lastIndexOf('\n');
  if (end < 0) return { bytes, startedMs: 0, entries: [], skipped: [] };
  const [head = '', ...lines] = text.slice(0, end).split('\n');
  let startedMs: number;
  try {
    readJournalFile(`${head}\n`);
    startedMs = startOf(JSON.parse(head));
  } catch (thrown) {
    return { bytes, startedMs: 0, entries: [], skipped: [messageOf(thrown)] };
  }
  const { entries, skipped } = entriesOf(head, lines);
  const mark = startedMs.toString(36);
  return {
    bytes,
    startedMs,
    entries: entries.map((entry) =>
      entry.reconcileId === undefined ? entry : { ...entry, reconcileId: `${mark}-${entry.reconcileId}` },
    ),
    skipped,
  };
}

const startOf = (head: unknown): number =>
  isRecord(head) && typeof head['startedMs'] === 'number' ? head['startedMs'] : 0;

function entriesOf(head: string, lines: readonly string[]): Pick<ReadSegment, 'entries' | 'skipped'> {
  try {
    return { entries: readJournalFile(`${[head, ...lines].join('\n')}\n`).entries, skipped: [] };
  } catch {
    // At least one line is damaged: each line is read alone.
  }
  const entries: JournalEntry[] = [];
  let damaged = 0;
  for (const line of lines)
    try {
      entries.push(...readJournalFile(`${head}\n${line}\n`).entries);
    } catch {
      damaged++;
    }
  return { entries, skipped: [`${damaged} of ${lines.length} lines are no entries and were skipped`] };
}
