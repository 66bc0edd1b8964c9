import { createNumberList, createStateTable } from './state-table.ts';

/** Visited states with their predecessors, and the queue of states that must be expanded. */
export interface Frontier {
  readonly size: number;
  /** Maximum distance from the start of all expanded states. */
  readonly depth: number;
  /**
   * Returns the number of a state. Records the path if the state is new or the path has fewer faults. `from`
   * is -1 for the first state.
   */
  enter(row: readonly number[], from: number, faults: number): number;
  /**
   * Yields the states whose path has `faults` faults, including states that are added during the iteration.
   */
  of(faults: number): Iterable<number>;
  row(id: number): Int32Array;
  /** Returns the number of the state with a row; -1 if there is none. */
  find(row: readonly number[]): number;
  /** Returns the number of faults on the path to a state. */
  faultsTo(id: number): number;
  /** Returns the numbers of the states on the path to a state, from the first state to the state itself. */
  wayTo(id: number): readonly number[];
}

export function createFrontier(width: number, mostFaults: number): Frontier {
  const table = createStateTable(width);
  const parents = createNumberList();
  const depths = createNumberList();
  const struck = createNumberList();
  const layers = Array.from({ length: mostFaults + 1 }, createNumberList);
  let depth = 0;
  return {
    get size() {
      return table.size;
    },
    get depth() {
      return depth;
    },
    enter(row, from, faults) {
      const { id, isNew } = table.add(row);
      if (isNew || faults < struck.at(id)) {
        parents.set(id, from);
        depths.set(id, from < 0 ? 0 : depths.at(from) + 1);
        struck.set(id, faults);
        layers[faults]?.push(id);
      }
      return id;
    },
    *of(faults) {
      const layer = layers[faults];
      for (let at = 0; layer && at < layer.length; at++) {
        const id = layer.at(at);
        // Skips the state, because a path with fewer faults was found in the meantime.
        if (struck.at(id) !== faults) continue;
        depth = Math.max(depth, depths.at(id));
        yield id;
      }
    },
    row: table.row,
    find: table.find,
    faultsTo: struck.at,
    wayTo(id) {
      const way: number[] = [];
      for (let at = id; at >= 0; at = parents.at(at)) way.push(at);
      return way.reverse();
    },
  };
}
