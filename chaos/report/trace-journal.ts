import type { JournalFile } from '../../runtime/index.ts';
import { type Trace, loadSubject, narrate, parseTrace } from '../run/index.ts';

/**
 * Returns the journal of a trace file in the form of a journal file. Undefined if the input is not a trace. A
 * trace without a journal is replayed. Throws `ERR_TRACE` for an invalid trace, and `ERR_TRACE_HASH` if the
 * replay differs, for example because another version recorded the trace.
 */
export async function journalOfTrace(text: string): Promise<JournalFile | undefined> {
  // A journal file starts with a header line; a trace is a single object.
  if (!/^\s*\{\s*"version"/.test(text)) return undefined;
  const trace = parseTrace(text);
  return { charts: {}, entries: trace.journal ?? (await replayedJournal(trace)) };
}

async function replayedJournal(trace: Trace): Promise<JournalFile['entries']> {
  const { product, controllers } = trace.scenario;
  const subject = await loadSubject(product, controllers, trace.module);
  return (await narrate(trace, subject)).journal;
}
