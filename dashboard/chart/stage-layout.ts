import type { Chart, ChartState } from './chart.ts';
import type { ChartEdge } from './edges.ts';
import type { Box, Picture, PlacedEdge, Point } from './picture.ts';

/** Guard of the transitions by which a plan machine chooses its next action. */
const NEXT_ACTION = 'it is the next action';
/** Least number of stages that several others lead to, from which a machine is drawn as a line of stages. */
const LEAST_JOINED = 3;

/** Distances in pixels. */
const MARGIN = 16;
const GAP = { labelled: 44, bare: 28 };
const RAIL = 22;
const LABEL_HEIGHT = 15;
const DOT = 10;
/** Estimated width of a character of a label, as in `layout.ts`. */
const SMALL_CHARACTER = 6.3;

/** A machine whose states follow each other, where stages may be skipped. */
export interface StageLine {
  /** Stages in order, then the final states; `failed` is the last one. */
  readonly order: readonly ChartState[];
  /** Paths of the stages that can be skipped. */
  readonly optional: ReadonlySet<string>;
}

/**
 * Returns the stages of a machine; undefined for a machine of another shape. The states are in the order of
 * their declaration. Only the machine of a plan returns to an earlier state, to choose the next action.
 */
export function stageLineOf({ root }: Chart, edges: readonly ChartEdge[]): StageLine | undefined {
  const { states } = root;
  if (states.some(({ states: children }) => children.length > 0) || edges.some(({ from }) => from === ''))
    return undefined;
  const stages = states.filter(({ type }) => type !== 'final');
  const place = new Map(stages.map(({ path }, at) => [path, at]));
  const isEarlier = ({ from, to }: ChartEdge): boolean =>
    (place.get(to) ?? Infinity) <= (place.get(from) ?? -1);
  const usual = edges.filter(({ failure }) => !failure);
  const choosing = stages.find(({ transitions }) => transitions.some(({ guard }) => guard === NEXT_ACTION));
  if (usual.some((edge) => isEarlier(edge) && edge.to !== choosing?.path)) return undefined;
  const joined = stages.filter(({ path }) => {
    const from = usual.filter((edge) => edge.to === path).map((edge) => edge.from);
    return choosing === undefined ? from.length > 1 : from.includes(choosing.path);
  });
  if (choosing === undefined && joined.length < LEAST_JOINED) return undefined;
  const ends = states.filter(({ type }) => type === 'final');
  const isFailed = ({ name }: ChartState): boolean => name === 'failed';
  return {
    order: [...stages, ...ends.filter((end) => !isFailed(end)), ...ends.filter(isFailed)],
    optional: new Set(stages.filter((stage) => isPassedBy(stage, states, usual)).map(({ path }) => path)),
  };
}

/** True if an edge leads from a state before a stage to one behind it. */
function isPassedBy(
  { path }: ChartState,
  states: readonly ChartState[],
  edges: readonly ChartEdge[],
): boolean {
  const at = placeIn(states, path);
  return edges.some(({ from, to }) => placeIn(states, from) < at && placeIn(states, to) > at);
}

/**
 * Lays out a line of stages: states below each other, and one rail on the left by which every skip passes. A
 * second rail on the left leads back, and one on the right leads from failures to `failed`.
 */
export function layOutStages(
  chart: Chart,
  edges: readonly ChartEdge[],
  { order, optional }: StageLine,
  sizeOf: (state: ChartState) => { readonly width: number; readonly height: number },
): Picture {
  const labels = new Map(order.map(({ path }) => [path, labelInto(path, edges, optional.has(path))]));
  const labelWidth = (path: string): number => (labels.get(path)?.length ?? 0) * SMALL_CHARACTER + 8;
  const boxWidth = Math.ceil(Math.max(...order.map((state) => sizeOf(state).width)));
  const column = Math.ceil(Math.max(boxWidth, ...order.map(({ path }) => labelWidth(path))));
  const goesBack = edges.some((edge) => isBack(edge, order));
  const rails = { back: MARGIN, forward: MARGIN + (goesBack ? RAIL : 0) };
  const left = rails.forward + RAIL + (column - boxWidth) / 2;
  const boxes = new Map<string, Box>();
  let top = MARGIN + DOT;
  for (const state of order) {
    const { height } = sizeOf(state);
    const gap = labels.get(state.path) === '' ? GAP.bare : GAP.labelled;
    boxes.set(state.path, { x: left, y: top + gap, width: boxWidth, height });
    top += gap + height;
  }
  const failRail = rails.forward + RAIL + column + RAIL;
  const centre = left + boxWidth / 2;
  const placed = edges.map((edge) =>
    placedEdge(edge, { boxes, order, rails: { ...rails, fail: failRail }, centre }),
  );
  const dot = { x: centre, y: MARGIN + DOT / 2 };
  const first = boxes.get(order[0]?.path ?? '');
  return {
    chart,
    width: failRail + MARGIN,
    height: top + MARGIN,
    states: order.flatMap(({ path }) => {
      const box = boxes.get(path);
      return box ? [{ path, box }] : [];
    }),
    edges: withLabels(placed, (path) => {
      const [text = '', box] = [labels.get(path), boxes.get(path)];
      if (text === '' || box === undefined) return undefined;
      const width = labelWidth(path);
      return {
        text,
        box: { x: centre - width / 2, y: box.y - GAP.labelled / 2 - 9, width, height: LABEL_HEIGHT },
      };
    }),
    beginnings: first ? [{ at: dot, line: [dot, { x: centre, y: first.y }] }] : [],
  };
}

/**
 * Returns the condition of a state in words. That of a stage that can be skipped is also the reason for which
 * it is skipped.
 */
function labelInto(path: string, edges: readonly ChartEdge[], isOptional: boolean): string {
  const texts = edges.flatMap(({ to, label, failure }) => (to === path && !failure ? label.split(', ') : []));
  const conditions = [...new Set(texts.map((text) => text.replace(/^\[(.*)\]$/, '$1')))].filter(Boolean);
  if (conditions.length === 0) return '';
  return `${isOptional ? 'skipped unless' : 'if'} ${conditions.join(' or ')}`;
}

/** Gives one edge into each state the label of all; an edge from the state above, if there is one. */
function withLabels(
  edges: readonly PlacedEdge[],
  labelOf: (path: string) => { readonly text: string; readonly box: Box } | undefined,
): readonly PlacedEdge[] {
  const bearers = new Map<string, PlacedEdge>();
  for (const edge of edges) {
    if (edge.failure) continue;
    const known = bearers.get(edge.to);
    if (known === undefined || edge.line.length < known.line.length) bearers.set(edge.to, edge);
  }
  return edges.map((placed): PlacedEdge => {
    const { labelBox: _, ...edge } = placed;
    const label = bearers.get(edge.to)?.id === edge.id ? labelOf(edge.to) : undefined;
    return label ? { ...edge, label: label.text, labelBox: label.box } : { ...edge, label: '' };
  });
}

interface Places {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly order: readonly ChartState[];
  readonly rails: { readonly back: number; readonly forward: number; readonly fail: number };
  readonly centre: number;
}

const placeIn = (order: readonly ChartState[], path: string): number =>
  order.findIndex((state) => state.path === path);

const isBack = ({ from, to }: ChartEdge, order: readonly ChartState[]): boolean =>
  placeIn(order, to) < placeIn(order, from);

function placedEdge(edge: ChartEdge, { boxes, order, rails, centre }: Places): PlacedEdge {
  const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
  if (from === undefined || to === undefined) return { ...edge, line: [] };
  if (edge.failure) {
    const [y1, y2] = [from.y + from.height / 2, to.y + to.height / 2];
    return { ...edge, line: by(from.x + from.width, y1, rails.fail, to.x + to.width, y2) };
  }
  if (placeIn(order, edge.to) === placeIn(order, edge.from) + 1)
    return {
      ...edge,
      line: [
        { x: centre, y: from.y + from.height },
        { x: centre, y: to.y },
      ],
    };
  const back = isBack(edge, order);
  const [y1, y2] = back ? [from.y + 10, to.y + to.height - 16] : [from.y + from.height - 9, to.y + 12];
  return { ...edge, line: by(from.x, y1, back ? rails.back : rails.forward, to.x, y2) };
}

/** Returns a line that leaves a box to a rail, follows it, and enters another box. */
const by = (x1: number, y1: number, rail: number, x2: number, y2: number): readonly Point[] => [
  { x: x1, y: y1 },
  { x: rail, y: y1 },
  { x: rail, y: y2 },
  { x: x2, y: y2 },
];
