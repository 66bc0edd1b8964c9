import { useEffect, useState } from 'preact/hooks';
import { durationText } from '../../model/durations.ts';
import { offsetText, wallTime } from '../../model/moments.ts';
import { type NextRuns, type ScheduledObject, dialectIn, nextRunsQuery } from '../../model/next-runs.ts';
import { sendForJson } from '../access.ts';

interface Preview {
  /** Query and time for which it was computed. */
  readonly query: string;
  readonly afterMs: number;
  readonly runs?: NextRuns;
  readonly problem?: string;
}

/** Next runs of a CronJob in its time zone. For other kinds, the card is not rendered. */
export function NextRunsCard(props: { object: ScheduledObject; dialectAnnotation: string; nowMs: number }) {
  const { object, dialectAnnotation, nowMs } = props;
  const preview = usePreview(nextRunsQuery(object, dialectAnnotation), nowMs);
  if (object.kind !== 'CronJob') return null;
  const { schedule = '', suspend } = object.spec ?? {};
  const dialect = dialectIn(object, dialectAnnotation) ?? 'standard';
  return (
    <section class="card" aria-labelledby="next-runs">
      <h2 id="next-runs">Next runs</h2>
      <p class="soft">
        <code>{schedule}</code> · {dialect} dialect
        {preview?.runs !== undefined && ` · ${preview.runs.timeZone}`}
      </p>
      {suspend === true && <p>No runs while the CronJob is suspended.</p>}
      {preview?.problem !== undefined && <p class="warning">{preview.problem}</p>}
      {preview?.runs !== undefined && <Runs runs={preview.runs} nowMs={nowMs} />}
    </section>
  );
}

function Runs({ runs: { runs }, nowMs }: { runs: NextRuns; nowMs: number }) {
  if (runs.length === 0) return <p>Not due within five years.</p>;
  return (
    <ol class="plain runs" aria-labelledby="next-runs">
      {runs.map(({ atMs, offsetMs }) => (
        <li key={atMs}>
          <time dateTime={new Date(atMs).toISOString()}>{wallTime(atMs, offsetMs)}</time>
          <span class="soft">{offsetText(offsetMs)}</span>
          <span class="number">in {durationText(Math.max(0, atMs - nowMs))}</span>
        </li>
      ))}
    </ol>
  );
}

/** Requests the next runs. Requests them again once the first is due, or if the page's time moves back. */
function usePreview(query: string | undefined, nowMs: number): Preview | undefined {
  const [preview, show] = useState<Preview>();
  const isCurrent =
    preview !== undefined &&
    preview.query === query &&
    nowMs >= preview.afterMs &&
    nowMs < (preview.runs?.runs[0]?.atMs ?? Number.POSITIVE_INFINITY);
  useEffect(() => {
    if (query === undefined || isCurrent) return undefined;
    let wanted = true;
    const found = (result: Pick<Preview, 'runs' | 'problem'>): void => {
      if (wanted) show({ query, afterMs: nowMs, ...result });
    };
    sendForJson<NextRuns>(`/journal/v1/next-runs?${query}&after=${nowMs}`).then(
      (runs) => found({ runs }),
      (thrown: unknown) => found({ problem: thrown instanceof Error ? thrown.message : String(thrown) }),
    );
    return () => void (wanted = false);
  }, [query, isCurrent]);
  return preview !== undefined && preview.query === query ? preview : undefined;
}
