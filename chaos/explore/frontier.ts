import { createNumberList, createStateTable } from './state-table.ts';

/** The states that were come to, how, and which are to be looked at. */
export interface Frontier {
  readonly size: number;
  /** How far the state that was looked at last, or one before it, is from the start. */
  readonly depth: number;
  /** The number of a state that was come to from another, -1 for the first, with that many faults on the way. */
  enter(row: readonly number[], from: number, faults: number): number;
  /** States with that many faults on the shortest way to them, also those that are come to meanwhile. */
  of(faults: number): Iterable<number>;
  row(id: number): Int32Array;
  /** -1 for a row that no state has. */
  find(row: readonly number[]): number;
  /** Faults on the way to a state. */
  faultsTo(id: number): number;
  /** The states on the way to one, the first and itself included. */
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
        // It was come to with fewer faults since.
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
