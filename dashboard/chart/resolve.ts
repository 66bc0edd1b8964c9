import { type Chart, activeLeaves, parentOf } from './chart.ts';
import { edgeId } from './edges.ts';

/** Returns a state and its ancestors, from the innermost up to the machine itself. */
function upwards(path: string): readonly string[] {
  const paths = [path];
  for (let at = path; at !== '';) paths.push((at = parentOf(at)));
  return paths;
}

/**
 * Returns the edge that led from one state of the journal to another; undefined if the chart has no such
 * edge. The transition may belong to an ancestor of the source and lead to an ancestor of the target.
 */
export function edgeBetween(
  chart: Chart,
  edges: ReadonlySet<string>,
  from: string,
  to: string,
): string | undefined {
  const targets = activeLeaves(chart, to).flatMap(upwards);
  for (const source of activeLeaves(chart, from).flatMap(upwards))
    for (const target of targets) {
      const id = edgeId(source, target);
      if (edges.has(id)) return id;
    }
  return undefined;
}

/** Sums counts by state of the journal into counts by path. A state also counts for its ancestors. */
export function countsByState(
  chart: Chart,
  counts: Readonly<Record<string, number>>,
): ReadonlyMap<string, number> {
  const byPath = new Map<string, number>();
  for (const [state, count] of Object.entries(counts))
    for (const path of new Set(activeLeaves(chart, state).flatMap(upwards)))
      if (path !== '') byPath.set(path, (byPath.get(path) ?? 0) + count);
  return byPath;
}

/** Sums transitions between states of the journal by edge. */
export function takenByEdge(
  chart: Chart,
  edges: ReadonlySet<string>,
  moves: readonly { readonly from: string; readonly to: string; readonly taken: number }[],
): ReadonlyMap<string, number> {
  const byEdge = new Map<string, number>();
  for (const { from, to, taken } of moves) {
    const id = edgeBetween(chart, edges, from, to);
    if (id !== undefined) byEdge.set(id, (byEdge.get(id) ?? 0) + taken);
  }
  return byEdge;
}
