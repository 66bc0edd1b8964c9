import type { ELK, ElkExtendedEdge, ElkNode, ElkPoint } from 'elkjs/lib/elk-api.js';
import { type Chart, type ChartState, statesOf } from './chart.ts';
import { type ChartEdge, edgesOf } from './edges.ts';
import type { Box, Picture, PlacedEdge, Point } from './picture.ts';
import { layOutStages, stageLineOf } from './stage-layout.ts';

export type { Box, Picture, PlacedEdge, PlacedState, Point } from './picture.ts';

/**
 * Estimated width of a character in pixels, because text cannot be measured without a browser.
 * `SMALL_CHARACTER` is that of labels.
 */
const CHARACTER = 7.4;
const SMALL_CHARACTER = 6.3;
const LINE = 17;
/** Width of the number of keys next to the name of a state, in pixels. */
const BADGE = 40;
const BEGIN = '·';
const DOT = 10;

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.padding': '[top=16,left=16,bottom=16,right=16]',
  'elk.spacing.nodeNode': '36',
  'elk.spacing.edgeNode': '18',
  'elk.spacing.edgeEdge': '10',
  'elk.spacing.edgeLabel': '4',
  'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '10',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.crossingMinimization.semiInteractive': 'false',
  'elk.layered.considerModelOrder.strategy': 'PREFER_NODES',
};

/**
 * Lays out a chart. A machine whose stages may be skipped is a line of stages. ELK lays out any other in layers,
 * from the initial state down to the final states.
 */
export async function layOut(chart: Chart, elk: Pick<ELK, 'layout'>): Promise<Picture> {
  const drawn = edgesOf(chart);
  const line = stageLineOf(chart, drawn);
  if (line !== undefined) return layOutStages(chart, drawn, line, sizeOf);
  const graph: ElkNode = {
    id: 'picture',
    layoutOptions: OPTIONS,
    children: [...anyState(drawn), ...childrenOf(chart.root)],
    edges: [...drawn.map(elkEdge), ...[...statesOf(chart.root)].flatMap(beginning)],
  };
  const root: ElkNode = await elk.layout(graph);
  const lines = new Map(edgesIn(root).map((edge) => [edge.id, edge]));
  const nodes = nodesIn(root);
  return {
    chart,
    width: rounded(root.width),
    height: rounded(root.height),
    states: nodes
      .filter(({ id }) => id.startsWith('/'))
      .map((node) => ({ path: node.id.slice(1), box: boxOf(node) })),
    edges: drawn.map((edge) => placed(edge, lines.get(edge.id))),
    beginnings: nodes
      .filter(({ id }) => id.startsWith(BEGIN))
      .map((node) => ({
        at: { x: rounded(node.x) + DOT / 2, y: rounded(node.y) + DOT / 2 },
        line: lineOf(lines.get(node.id)),
      })),
  };
}

/** Returns a node for the machine itself if transitions start at the machine. */
const anyState = (edges: readonly ChartEdge[]): ElkNode[] =>
  edges.some(({ from }) => from === '') ? [{ id: '/', width: 90, height: 30 }] : [];

const nodeId = (path: string): string => `/${path}`;

const elkEdge = ({ id, from, to, label }: ChartEdge): ElkExtendedEdge => ({
  id,
  sources: [nodeId(from)],
  targets: [nodeId(to)],
  labels: label === '' ? [] : [elkLabel(label)],
});

/** Places the label on its own line, because a label beside its line could seem to belong to another line. */
const elkLabel = (text: string) => ({
  text,
  width: text.length * SMALL_CHARACTER + 8,
  height: 15,
  layoutOptions: { 'elk.edgeLabels.inline': 'true' },
});

const beginning = ({ path, initial }: ChartState): ElkExtendedEdge[] =>
  initial === undefined
    ? []
    : [{ id: `${BEGIN}${path}`, sources: [`${BEGIN}${path}`], targets: [nodeId(initial)] }];

function childrenOf(state: ChartState): ElkNode[] {
  const dot = {
    id: `${BEGIN}${state.path}`,
    width: DOT,
    height: DOT,
    layoutOptions: { 'elk.layered.layering.layerConstraint': 'FIRST' },
  };
  return [...(state.initial === undefined ? [] : [dot]), ...state.states.map(elkNode)];
}

/** Returns the size of a state without its children, for its name and its effects. */
const sizeOf = ({ name, invokes }: ChartState): { readonly width: number; readonly height: number } => ({
  width: Math.max(
    name.length * CHARACTER + BADGE,
    ...invokes.map((actor) => (actor.length + 2) * SMALL_CHARACTER + 20),
  ),
  height: 32 + invokes.length * LINE,
});

function elkNode(state: ChartState): ElkNode {
  const id = nodeId(state.path);
  const { width: headWidth, height: headHeight } = sizeOf(state);
  if (state.states.length > 0)
    return {
      id,
      children: childrenOf(state),
      layoutOptions: {
        'elk.padding': `[top=${headHeight + 10},left=14,bottom=14,right=14]`,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${headWidth},${headHeight})`,
      },
    };
  const last = state.type === 'final' && !state.path.includes('.');
  return {
    id,
    width: Math.ceil(headWidth),
    height: headHeight,
    ...(last ? { layoutOptions: { 'elk.layered.layering.layerConstraint': 'LAST' } } : {}),
  };
}

const nodesIn = (node: ElkNode): readonly ElkNode[] =>
  (node.children ?? []).flatMap((child) => [child, ...nodesIn(child)]);

const edgesIn = (node: ElkNode): readonly ElkExtendedEdge[] => [
  ...(node.edges ?? []),
  ...(node.children ?? []).flatMap(edgesIn),
];

const rounded = (value: number | undefined): number => Math.round((value ?? 0) * 10) / 10;
const pointOf = ({ x, y }: ElkPoint): Point => ({ x: rounded(x), y: rounded(y) });
const boxOf = ({ x, y, width, height }: Partial<Box>): Box => ({
  x: rounded(x),
  y: rounded(y),
  width: rounded(width),
  height: rounded(height),
});

function lineOf(edge: ElkExtendedEdge | undefined): readonly Point[] {
  const [section] = edge?.sections ?? [];
  if (section === undefined) return [];
  return [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(pointOf);
}

function placed(edge: ChartEdge, laidOut: ElkExtendedEdge | undefined): PlacedEdge {
  const [label] = laidOut?.labels ?? [];
  return { ...edge, line: lineOf(laidOut), ...(label === undefined ? {} : { labelBox: boxOf(label) }) };
}
