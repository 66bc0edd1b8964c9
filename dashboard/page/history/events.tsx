import type { JournalEntry } from '../../../runtime/journal/index.ts';
import { clockTime } from '../../model/moments.ts';
import type { Playing } from '../journal.ts';
import { toKey } from '../routes.ts';

/** Number of events in the list. */
const SHOWN = 60;

const textOf = ({ kind, state, outcome, error, reason, request, cause }: JournalEntry): string =>
  [
    kind,
    state,
    outcome,
    request && `${request.verb} ${request.resource} ${request.object} ${request.code}`,
    cause && `${cause.type} ${cause.resource} ${cause.object}`,
    error ?? reason,
  ]
    .filter((each) => each !== undefined)
    .join(' · ');

/** Newest events up to the shown moment. */
export function Events({ played, wanted }: { played: Playing; wanted: (entry: JournalEntry) => boolean }) {
  const { entries, position } = played.replay;
  const found: JournalEntry[] = [];
  for (let at = position - 1; at >= 0 && found.length < SHOWN; at--) {
    const entry = entries[at];
    if (entry !== undefined && wanted(entry)) found.push(entry);
  }
  return (
    <details class="moment-events">
      <summary>events before this moment</summary>
      <ol aria-label="events before this moment">
        {found.map((entry) => (
          <li key={entry.seq} class={entry.outcome === 'failed' || entry.error ? 'bad' : ''}>
            <time>{clockTime(entry.atMs)}</time>{' '}
            <a href={toKey(entry.controller, entry.key)}>
              {entry.controller} {entry.key}
            </a>{' '}
            {textOf(entry)}
          </li>
        ))}
      </ol>
    </details>
  );
}
