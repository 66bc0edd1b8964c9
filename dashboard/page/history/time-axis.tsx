import { useEffect, useState } from 'preact/hooks';
import { type AxisDocument, axisOf } from '../../model/axis.ts';
import { clockTime } from '../../model/moments.ts';
import { sendForJson } from '../access.ts';
import { type Playing, playing } from '../journal.ts';
import type { Route } from '../routes.ts';
import { goTo } from './address.ts';

const JOURNAL = '/journal/v1';
/** Delay after which a moved slider loads its moment. */
const SETTLE_MS = 150;
const FRAME_MS = 250;
const SPEEDS = [1, 10, 60] as const;

/** Returns the query that selects the route's controller or key; empty for all controllers. */
export function scopeOf(route: Route, all: boolean): URLSearchParams {
  if (all || (route.view !== 'controller' && route.view !== 'key')) return new URLSearchParams();
  return new URLSearchParams({
    controller: route.name,
    ...(route.view === 'key' ? { key: route.key } : {}),
  });
}

/** Returns the axis of the replayed file, or of the server's journal. */
function useAxis(played: Playing, scope: URLSearchParams): AxisDocument | undefined {
  const [loaded, show] = useState<AxisDocument | undefined>();
  const query = String(scope);
  useEffect(() => {
    let wanted = true;
    if (played.moment === undefined) {
      const { entries } = played.replay;
      const view = { ...played.replay.view(), nowMs: entries.at(-1)?.atMs ?? 0 };
      show(axisOf({ ...view, finished: played.replay.finished }, new URLSearchParams(query)));
    } else
      sendForJson<AxisDocument>(`${JOURNAL}/axis?${query}`).then(
        (axis) => wanted && show(axis),
        () => wanted && show(undefined),
      );
    return () => void (wanted = false);
  }, [query, played.replay]);
  return loaded;
}

/** Slider over the time of the journal, with marks for failed reconciles, and controls to move in time. */
export function TimeAxis(props: {
  played: Playing;
  route: Route;
  all: boolean;
  attempt: (work: Promise<void>) => void;
}) {
  const { played, route, all, attempt } = props;
  const axis = useAxis(played, scopeOf(route, all));
  const [soughtMs, seek] = useState<number | undefined>();
  useEffect(() => {
    if (soughtMs === undefined) return undefined;
    const timer = setTimeout(() => {
      attempt(goTo(soughtMs, route).finally(() => seek(undefined)));
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [soughtMs]);
  const nowMs = soughtMs ?? played.replay.momentMs;
  const fromMs = Math.min(axis?.fromMs ?? nowMs, nowMs);
  const toMs = Math.max(axis?.toMs ?? nowMs, nowMs);
  return (
    <div class="time-axis">
      {axis !== undefined && <Marks axis={axis} />}
      <input
        type="range"
        aria-label="position in the journal"
        aria-valuetext={clockTime(nowMs)}
        min={Math.floor(fromMs)}
        max={Math.ceil(toMs)}
        step={1}
        value={nowMs}
        onInput={({ currentTarget }) => seek(Number(currentTarget.value))}
      />
      <div class="time-controls">
        <Errors axis={axis} nowMs={nowMs} onGo={(ms) => attempt(goTo(ms, route))} />
        <Jump nowMs={nowMs} onGo={(ms) => attempt(goTo(ms, route))} />
        <Play endMs={toMs} onGo={(ms) => attempt(goTo(ms, route))} />
      </div>
    </div>
  );
}

/** Marks of the parts of the time with failed reconciles. */
function Marks({ axis: { reconciles, failures, errorsMs } }: { axis: AxisDocument }) {
  const most = Math.max(1, ...reconciles);
  const label = errorsMs.length === 0 ? 'no failed reconciles' : `${errorsMs.length} failed reconciles`;
  return (
    <svg
      class="marks"
      viewBox={`0 0 ${reconciles.length} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {reconciles.map((count, at) => {
        const height = count === 0 ? 0 : Math.max(1, (9 * count) / most);
        return height === 0 ? null : (
          <rect key={at} class="mark" x={at} y={10 - height} width={1} height={height} />
        );
      })}
      {failures.map((count, at) =>
        count === 0 ? null : <rect key={at} class="mark error-mark" x={at} y={0} width={1} height={10} />,
      )}
    </svg>
  );
}

interface Going {
  readonly nowMs: number;
  readonly onGo: (ms: number) => void;
}

function Errors({ axis, nowMs, onGo }: Going & { axis: AxisDocument | undefined }) {
  const errors = axis?.errorsMs ?? [];
  const before = errors.findLast((ms) => ms < Math.floor(nowMs));
  const after = errors.find((ms) => ms > nowMs);
  const button = (text: string, ms: number | undefined) => (
    <button type="button" disabled={ms === undefined} onClick={() => ms !== undefined && onGo(ms)}>
      {text}
    </button>
  );
  return (
    <>
      {button('previous error', before)}
      {button('next error', after)}
    </>
  );
}

/** Formats a time for an input of type `datetime-local`, in the browser's time zone. */
export function localTime(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offsetMs).toISOString().slice(0, 19);
}

function Jump({ nowMs, onGo }: Going) {
  return (
    <input
      type="datetime-local"
      step={1}
      aria-label="jump to a time"
      value={localTime(nowMs)}
      onChange={({ currentTarget }) => {
        const ms = new Date(currentTarget.value).getTime();
        if (!Number.isNaN(ms)) onGo(ms);
      }}
    />
  );
}

function Play({ endMs, onGo }: { endMs: number; onGo: (ms: number) => void }) {
  const [running, run] = useState(false);
  const [speed, choose] = useState<number>(SPEEDS[0]);
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => {
      const nowMs = playing.get()?.replay.momentMs;
      if (nowMs === undefined || nowMs >= endMs) run(false);
      else onGo(Math.min(endMs, nowMs + FRAME_MS * speed));
    }, FRAME_MS);
    return () => clearInterval(timer);
  }, [running, speed, endMs]);
  return (
    <>
      <button type="button" aria-pressed={running} onClick={() => run(!running)}>
        {running ? 'stop' : 'play'}
      </button>
      <select
        aria-label="speed"
        value={speed}
        onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
      >
        {SPEEDS.map((each) => (
          <option key={each} value={each}>
            {each}×
          </option>
        ))}
      </select>
    </>
  );
}
