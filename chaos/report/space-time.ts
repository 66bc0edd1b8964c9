import type { StoryLine } from '../run/story-line.ts';
import type { Arrow } from './space-time-arrow.ts';
import { type LanePlaces, lanePlaces } from './space-time-lanes.ts';
import { messageOfFault } from './space-time-faults.ts';

/** Text at a lane, at one moment. */
export interface Mark {
  readonly lane: number;
  readonly text: string;
}

/** A moment of the diagram. Time runs downwards, but distances do not show durations. */
export interface Moment {
  readonly atMs: number;
  readonly marks: readonly Mark[];
  /** Text over all lanes: a fault, or the violation. */
  readonly band?: { readonly is: 'fault' | 'violation'; readonly text: string };
  /** Lanes that a fault affects. */
  readonly struck: readonly number[];
}

/** A story as a space-time diagram (Lamport 1978): processes as lanes, messages as arrows. */
export interface SpaceTime {
  readonly lanes: LanePlaces['lanes'];
  readonly moments: readonly Moment[];
  readonly arrows: readonly Arrow[];
}

/** A part of the diagram at one moment, before it has a row. */
interface Point {
  readonly atMs: number;
  readonly step: number;
  readonly marks?: readonly Mark[];
  readonly band?: Moment['band'];
  readonly struck?: readonly number[];
  /** Message that ends here; `sent` is the point at which it was sent, by default this one. */
  readonly arrows?: readonly (Omit<Arrow, 'fromRow' | 'toRow'> & { readonly sent?: Point })[];
}

/** Returns the diagram of the lines of a story, and of its violation. */
export function spaceTimeOf(
  lines: readonly StoryLine[],
  failure?: { readonly step: number; readonly atMs: number; readonly broken: string },
): SpaceTime {
  const places = lanePlaces(lines);
  const shown = lines.filter(({ lane }) => lane !== 'queue');
  const points = shown.flatMap((line) => pointsOf(line, places));
  const last: Point[] = failure
    ? [{ ...failure, band: { is: 'violation', text: `Violation: ${failure.broken}` } }]
    : [];
  const sorted = [...points.toSorted((a, b) => a.atMs - b.atMs || a.step - b.step), ...last];
  const rows = new Map(sorted.map((point, row) => [point, row]));
  return {
    lanes: places.lanes,
    moments: sorted.map(({ atMs, marks = [], band, struck = [] }) => ({
      atMs,
      marks,
      struck,
      ...(band && { band }),
    })),
    arrows: sorted.flatMap((point, toRow) =>
      (point.arrows ?? []).map(({ sent, ...arrow }): Arrow => ({
        ...arrow,
        toRow,
        fromRow: (sent && rows.get(sent)) ?? toRow,
      })),
    ),
  };
}

function pointsOf(line: StoryLine, places: LanePlaces): readonly Point[] {
  if (line.fault !== undefined || line.lane === 'fault') return [faultPointOf(line, places)];
  if (line.lane === 'store') return changePointsOf(line, places);
  const lane = places.laneOf(line.lane, line.process);
  return [{ ...at(line), marks: [{ lane, text: line.text }] }];
}

const at = ({ atMs, step }: { readonly atMs: number; readonly step: number }) => ({ atMs, step });

/** Returns the sending of a change, its commit, and its arrivals at the processes. */
function changePointsOf(line: StoryLine, places: LanePlaces): readonly Point[] {
  const { by, node, revision, sentAtMs, arrivals = [] } = line;
  const { server } = places;
  const author = by === undefined || by === 'apiserver' ? server : places.laneOf(by, node);
  const text = by === undefined ? line.text : withoutActor(line.text, by);
  const stored = revision === undefined ? 'removed' : `revision ${revision}`;
  const request = { from: author, to: server, carries: 'request', isLost: false, isFaulty: false } as const;
  const sending: Point | undefined =
    author === server || sentAtMs === undefined
      ? undefined
      : { atMs: sentAtMs, step: line.step, marks: [{ lane: author, text }] };
  const own = author === server ? `${text}, ${stored}` : stored;
  const commit: Point = {
    ...at(line),
    marks: [{ lane: server, text: own }, ...(sending || author === server ? [] : [{ lane: author, text }])],
    ...(author !== server && { arrows: [{ ...request, ...(sending && { sent: sending }) }] }),
  };
  const received = arrivals.map((arrival): Point => {
    const to = places.reflectorOf(arrival.process);
    return {
      ...at(arrival),
      marks: [{ lane: to, text: revision === undefined ? 'deletion' : `revision ${revision}` }],
      arrows: [{ from: server, to, carries: 'event', isLost: false, isFaulty: false, sent: commit }],
    };
  });
  return [...(sending ? [sending] : []), commit, ...received];
}

/** Returns the text of a change without its author and uid. */
export const withoutActor = (text: string, by: string): string =>
  text.startsWith(`${by} `) ? text.slice(by.length + 1).replace(/ \(uid [^)]*\)/, '') : text;

function faultPointOf(line: StoryLine, places: LanePlaces): Point {
  const message = line.fault && messageOfFault(line.fault, places);
  return {
    ...at(line),
    band: { is: 'fault', text: line.text },
    struck: message?.struck ?? [],
    ...(message?.arrow && { arrows: [{ ...message.arrow, isFaulty: true }] }),
  };
}
