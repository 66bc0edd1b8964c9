import type { JournalFile } from '../../runtime/index.ts';
import { TraceError, parseTrace } from '../run/trace.ts';

/**
 * The journal in a trace file, as a journal file has it; undefined where the text is no trace. Throws `ERR_TRACE` for a
 * trace that has none: only a shrunk one does.
 */
export function journalOfTrace(text: string): JournalFile | undefined {
  // A journal file begins with its head, a trace is one object.
  if (!/^\s*\{\s*"version"/.test(text)) return undefined;
  const { journal } = parseTrace(text);
  if (journal === undefined)
    throw new TraceError('ERR_TRACE', 'the trace has no journal: expected one written by replay --shrink');
  return { charts: {}, entries: journal };
}
