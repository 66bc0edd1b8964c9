import { type ChartState, statesOf } from './chart.ts';
import type { Picture, PlacedEdge, PlacedState, Point } from './layout.ts';

/** An SVG element as data. The page renders it as nodes, `orch machines` as text. */
export interface Drawn {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Drawn | string)[];
}

/** Data that is drawn over a picture of a machine. */
export interface Overlay {
  /** Number of keys or objects in each state, by the path of the state. */
  readonly counts?: ReadonlyMap<string, number>;
  /** Noun for what `counts` counts; default `key`. */
  readonly noun?: string;
  /** Number of times that each edge was taken, by the id of the edge. */
  readonly taken?: ReadonlyMap<string, number>;
  /** Paths of states and ids of edges to highlight. */
  readonly marked?: ReadonlySet<string>;
  /** True if the user can choose states and edges. */
  readonly interactive?: boolean;
}

const element = (
  tag: string,
  attributes: Drawn['attributes'],
  ...children: readonly (Drawn | string)[]
): Drawn => ({ tag, attributes, children });

const classes = (...names: readonly (string | false)[]): string => names.filter(Boolean).join(' ');

const MARKER = { markerWidth: 9, markerHeight: 9, refX: 7.5, refY: 4.5, orient: 'auto', viewBox: '0 0 9 9' };
const marker = (id: string): Drawn =>
  element(
    'marker',
    { id, ...MARKER, markerUnits: 'userSpaceOnUse', class: `head ${id}` },
    element('path', { d: 'M1 1 L8 4.5 L1 8 z' }),
  );

/** Draws a picture as the children of an `<svg>`, styled by `chartStyle`. */
export function drawPicture(picture: Picture, overlay: Overlay = {}): readonly Drawn[] {
  const states = new Map([...statesOf(picture.chart.root)].map((state) => [state.path, state]));
  const most = Math.max(1, ...(overlay.taken?.values() ?? []));
  return [
    element('defs', {}, marker('flow'), marker('fault')),
    ...picture.states
      .filter(({ path }) => states.get(path)?.states.length)
      .map((each) => drawState(each, states.get(each.path), overlay)),
    ...inFront(picture.edges, overlay).map((edge) => drawEdge(edge, overlay, most)),
    ...picture.beginnings.map(({ at, line }) =>
      element(
        'g',
        { class: 'beginning' },
        element('circle', { cx: at.x, cy: at.y, r: 5 }),
        element('path', { d: pathOf(line), 'marker-end': 'url(#flow)' }),
      ),
    ),
    ...picture.states
      .filter(({ path }) => !states.get(path)?.states.length)
      .map((each) => drawState(each, states.get(each.path), overlay)),
    ...picture.edges.flatMap((edge) => drawLabel(edge)),
  ];
}

/** Sorts edges so that those that are marked or taken lie over the others, as skips share a line. */
function inFront(edges: readonly PlacedEdge[], { marked, taken }: Overlay): readonly PlacedEdge[] {
  const rank = ({ id }: PlacedEdge): number => (marked?.has(id) ? Infinity : (taken?.get(id) ?? 0));
  return edges.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

/**
 * Returns the attributes with which the user can focus and choose an element. The accessible name is the
 * `<title>` of the element.
 */
const choosable = (overlay: Overlay, kind: 'state' | 'edge', id: string): Drawn['attributes'] =>
  overlay.interactive ? { [`data-${kind}`]: id, tabindex: -1, role: 'button' } : { [`data-${kind}`]: id };

function drawState({ path, box }: PlacedState, state: ChartState | undefined, overlay: Overlay): Drawn {
  const { x, y, width, height } = box;
  const count = overlay.counts?.get(path) ?? 0;
  const type = state?.type ?? 'atomic';
  // The machine itself has an empty path. Its transitions apply in any state.
  const name = path === '' ? 'any state' : (state?.name ?? path);
  const rect = { x, y, width, height, rx: 9 };
  const { noun = 'key' } = overlay;
  const keys = overlay.counts ? [count === 1 ? `1 ${noun}` : `${count} ${noun}s`] : [];
  const about = state?.description ? [state.description] : [];
  return element(
    'g',
    {
      class: classes(
        'state',
        type,
        name === 'failed' && 'fault',
        count > 0 && 'held',
        overlay.marked?.has(path) === true && 'marked',
      ),
      ...choosable(overlay, 'state', path),
    },
    element('title', {}, [path === '' ? name : `state ${name}`, ...keys, ...about].join(', ')),
    element('rect', { ...rect, class: 'body' }),
    ...(type === 'final'
      ? [element('rect', { x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 6.5, class: 'rim' })]
      : []),
    element('text', { x: x + 13, y: y + 21, class: 'name' }, name),
    ...(state?.invokes ?? []).map((actor, at) =>
      element('text', { x: x + 13, y: y + 39 + at * 17, class: 'actor' }, `⚙ ${actor}`),
    ),
    ...(count > 0 ? badge(x + width, y, count) : []),
  );
}

const shortened = (count: number): string => {
  if (count < 1_000) return String(count);
  return count < 999_500
    ? `${(count / 1_000).toFixed(count < 9_950 ? 1 : 0)}k`
    : `${(count / 1e6).toFixed(1)}M`;
};

function badge(right: number, top: number, count: number): readonly Drawn[] {
  const text = shortened(count);
  const width = 14 + text.length * 7;
  return [
    element('rect', { x: right - width + 7, y: top - 9, width, height: 20, rx: 10, class: 'badge' }),
    element('text', { x: right - width / 2 + 7, y: top + 5.5, class: 'count' }, text),
  ];
}

/**
 * Returns a line width of 1.2 to 5 pixels on a logarithmic scale, so that rare transitions remain visible.
 */
const weightOf = (taken: number, most: number): number =>
  taken === 0 ? 1.2 : 1.6 + 3.4 * (Math.log(1 + taken) / Math.log(1 + most));

function drawEdge(edge: PlacedEdge, overlay: Overlay, most: number): Drawn {
  const taken = overlay.taken?.get(edge.id) ?? 0;
  const times = taken === 1 ? 'once' : `${taken} times`;
  const route = `${edge.from.replaceAll('.', ' ') || 'any state'} to ${edge.to.replaceAll('.', ' ')}`;
  const name = overlay.taken ? `${route}, taken ${times}` : route;
  const d = pathOf(edge.line);
  return element(
    'g',
    {
      class: classes(
        'edge',
        edge.failure && 'fault',
        overlay.taken !== undefined && taken === 0 && 'idle',
        overlay.marked?.has(edge.id) === true && 'marked',
      ),
      ...choosable(overlay, 'edge', edge.id),
    },
    element('title', {}, `${name}: ${edge.title}`),
    element('path', { d, class: 'reach' }),
    element('path', {
      d,
      class: 'line',
      'stroke-width': Math.round(weightOf(taken, most) * 10) / 10,
      'marker-end': edge.failure ? 'url(#fault)' : 'url(#flow)',
    }),
  );
}

const drawLabel = ({ label, labelBox }: PlacedEdge): readonly Drawn[] =>
  labelBox === undefined
    ? []
    : [
        element('rect', { ...labelBox, rx: 4, class: 'label-ground' }),
        element('text', { x: labelBox.x + labelBox.width / 2, y: labelBox.y + 11.5, class: 'label' }, label),
      ];

const BEND = 7;

/** Returns the path data of a line with rounded corners. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const parts = [`M${first.x} ${first.y}`];
  rest.forEach((corner, at) => {
    const before = at === 0 ? first : (rest[at - 1] ?? first);
    const after = rest[at + 1];
    if (after === undefined) {
      parts.push(`L${corner.x} ${corner.y}`);
      return;
    }
    const into = towards(corner, before);
    const out = towards(corner, after);
    parts.push(`L${into.x} ${into.y}Q${corner.x} ${corner.y} ${out.x} ${out.y}`);
  });
  return parts.join('');
}

/** Returns the point `BEND` pixels from `from` towards `to`, but at most half the way. */
function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const share = Math.min(BEND, length / 2) / length;
  const at = (a: number, b: number): number => Math.round((a + (b - a) * share) * 10) / 10;
  return { x: at(from.x, to.x), y: at(from.y, to.y) };
}
