import type { StoryLine } from '../run/story-line.ts';

/** A lane of the diagram: the users, the API server, or a part of a process. */
export interface DiagramLane {
  readonly title: string;
  /** Process that the lane is a part of; undefined outside of processes, or if there is only one. */
  readonly process?: string;
}

/** The lanes of a story, and the places of its actors. */
export interface LanePlaces {
  readonly lanes: readonly DiagramLane[];
  readonly server: number;
  /** Returns the lane of an actor. That of a process itself is the lane of its reflectors. */
  laneOf(actor: string, process?: string): number;
  reflectorOf(process?: string): number;
  /** Returns the lane of an actor if it has only one in all processes. */
  onlyLaneOf(actor: string): number | undefined;
  /** Returns all lanes of a process. */
  lanesOf(process: string): readonly number[];
}

const USER = 'user';
const SERVER = 'API server';
const REFLECTORS = 'reflectors';

/** Actors that are no part of a process. */
const OUTSIDE: Readonly<Record<string, string>> = { user: USER, apiserver: SERVER };

const idOf = (title: string, process = ''): string => `${process} ${title}`;

/** Lays out the lanes: users, API server, then the parts of each process, reflectors first. */
export function lanePlaces(lines: readonly StoryLine[]): LanePlaces {
  const lanes: DiagramLane[] = [{ title: USER }, { title: SERVER }];
  const inside = partsOf(lines);
  const processes = [...new Set(inside.map(({ process = '' }) => process))].toSorted();
  for (const process of processes) {
    const titles = inside.filter((part) => (part.process ?? '') === process).map(({ title }) => title);
    for (const title of new Set([REFLECTORS, ...titles.toSorted()]))
      lanes.push({ title, ...(process !== '' && { process }) });
  }
  const places = new Map(lanes.map(({ title, process }, lane) => [idOf(title, process), lane]));
  const reflectorOf = (process?: string): number => places.get(idOf(REFLECTORS, process)) ?? 1;
  return {
    lanes,
    server: 1,
    reflectorOf,
    laneOf: (actor, process) =>
      places.get(idOf(OUTSIDE[actor] ?? actor, OUTSIDE[actor] === undefined ? process : undefined)) ??
      reflectorOf(process),
    onlyLaneOf(actor) {
      const found = lanes.flatMap(({ title }, lane) => (title === (OUTSIDE[actor] ?? actor) ? [lane] : []));
      return found.length === 1 ? found[0] : undefined;
    },
    lanesOf: (process) => {
      const named = lanes.flatMap((lane, place) => (lane.process === process ? [place] : []));
      return named.length > 0 || processes.length > 1
        ? named
        : lanes.flatMap((_, at) => (at > 1 ? [at] : []));
    },
  };
}

/** Returns the parts of processes that occur in a story. */
const partsOf = (lines: readonly StoryLine[]): readonly DiagramLane[] =>
  lines.flatMap(({ lane, process, by, node, arrivals = [] }) => [
    ...(lane === 'store' || lane === 'fault' || lane === 'queue'
      ? []
      : [{ title: lane, ...(process !== undefined && { process }) }]),
    ...(by === undefined || OUTSIDE[by] !== undefined
      ? []
      : [{ title: by, ...(node !== undefined && { process: node }) }]),
    ...arrivals.map((arrival) => ({
      title: REFLECTORS,
      ...(arrival.process !== undefined && { process: arrival.process }),
    })),
  ]);
