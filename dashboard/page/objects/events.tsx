import { useEffect, useState } from 'preact/hooks';
import {
  EVENT_COLUMNS,
  type EventColumn,
  type EventObject,
  type EventRow,
  eventRowOf,
  sortEvents,
} from '../../model/object-events.ts';
import { ResponseError, sendForJson, token } from '../access.ts';
import { splitName } from '../api.ts';
import { Ago, Pill, Problem, many } from '../parts/bits.tsx';
import { SortHead, type Sorting } from '../parts/sort-head.tsx';
import { useStore } from '../store.ts';

/**
 * Period in milliseconds after which Events are read again while the page is visible. A watch would hold one
 * of the six connections that a browser opens to a server over HTTP/1.1.
 */
const READ_MS = 3_000;
const MOST_EVENTS = 500;
/** Namespace of Events about cluster-scoped objects. */
const CLUSTER_NAMESPACE = 'default';

interface ReadEvents {
  readonly rows?: readonly EventRow[];
  readonly atMs: number;
  readonly problem?: Error;
}

async function readEvents(
  kind: string | undefined,
  object: string,
  signal: AbortSignal,
): Promise<ReadEvents> {
  const { namespace, name } = splitName(object);
  const fields = [
    `involvedObject.name=${name}`,
    ...(kind === undefined ? [] : [`involvedObject.kind=${kind}`]),
  ];
  const query = new URLSearchParams({ fieldSelector: fields.join(), limit: String(MOST_EVENTS) });
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace || CLUSTER_NAMESPACE)}/events?${query}`;
  const { items } = await sendForJson<{ readonly items: readonly EventObject[] }>(path, { signal });
  return { rows: items.map(eventRowOf), atMs: Date.now() };
}

function useEvents(kind: string | undefined, object: string): ReadEvents {
  const bearer = useStore(token);
  const [read, show] = useState<ReadEvents>({ atMs: 0 });
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const next = (): void => void (timer = setTimeout(() => void again(), READ_MS));
    const again = async (): Promise<void> => {
      try {
        if (!document.hidden) show(await readEvents(kind, object, leaving.signal));
      } catch (thrown) {
        if (leaving.signal.aborted) return;
        const problem = thrown instanceof Error ? thrown : new Error(String(thrown));
        show((before) => ({ ...before, problem }));
        if (thrown instanceof ResponseError && thrown.status < 429) return;
      }
      next();
    };
    void again();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [bearer, kind, object]);
  return read;
}

/** Events about an object, newest first. */
export function ObjectEvents({ kind, object }: { kind: string | undefined; object: string }) {
  const { rows, atMs, problem } = useEvents(kind, object);
  const [sorting, sortBy] = useState<Sorting<EventColumn>>({ column: 'lastMs', isDescending: true });
  return (
    <section class="card" aria-labelledby="events">
      <h2 id="events">Events{rows !== undefined && rows.length > 0 && ` (${many(rows.length)})`}</h2>
      {rows === undefined && problem !== undefined && <Problem problem={problem} />}
      {rows === undefined && problem === undefined && <p class="soft">Loading…</p>}
      {rows?.length === 0 && <p class="soft">No Events. They expire, by default after an hour.</p>}
      {rows !== undefined && rows.length > 0 && (
        <div class="scroll events" tabIndex={0} role="region" aria-labelledby="events">
          <table>
            <thead>
              <tr>
                {EVENT_COLUMNS.map(([column, name]) => (
                  <SortHead key={column} column={column} name={name} sorting={sorting} onSort={sortBy} />
                ))}
              </tr>
            </thead>
            <tbody>
              {sortEvents(rows, sorting.column, sorting.isDescending).map((row) => (
                <Row key={row.id} row={row} nowMs={atMs} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Row({
  row: { lastMs, type, reason, count, source, message },
  nowMs,
}: {
  row: EventRow;
  nowMs: number;
}) {
  return (
    <tr>
      <td title={new Date(lastMs).toISOString()}>
        <Ago ms={nowMs - lastMs} />
      </td>
      <td>
        <Pill tone={type === 'Warning' ? 'failed' : ''}>{type}</Pill>
      </td>
      <td>{reason}</td>
      <td class="number">{many(count)}</td>
      <td>{source}</td>
      <td class="message">{message}</td>
    </tr>
  );
}
