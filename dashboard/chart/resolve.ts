import { type Chart, activeLeaves, parentOf } from './chart.ts';
import { edgeId } from './edges.ts';

/** A state and those around it, innermost first, up to the machine itself. */
function upwards(path: string): readonly string[] {
  const paths = [path];
  for (let at = path; at !== '';) paths.push((at = parentOf(at)));
  return paths;
}

/**
 * The drawn edge that led from one journalled state to another: the transition may belong to a state around the one
 * that was left, and may aim at one around that which was entered. Undefined where the chart has none such.
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

/** Adds up by drawn state what is known by journalled ones; a state counts in those around it too. */
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

/** Adds up by drawn edge what is known by journalled states. */
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
