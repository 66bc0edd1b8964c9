import type { JournalFile } from '../../runtime/index.ts';
import { TraceError, parseTrace } from '../run/trace.ts';

/**
 * Returns the journal of a trace file in the form of a journal file; undefined if the text is not a trace.
 * Throws `ERR_TRACE` for a trace without journal, because only shrunk traces have one.
 */
export function journalOfTrace(text: string): JournalFile | undefined {
  // A journal file starts with a header line; a trace is a single object.
  if (!/^\s*\{\s*"version"/.test(text)) return undefined;
  const { journal } = parseTrace(text);
  if (journal === undefined)
    throw new TraceError('ERR_TRACE', 'the trace has no journal: expected one written by replay --shrink');
  return { charts: {}, entries: journal };
}
