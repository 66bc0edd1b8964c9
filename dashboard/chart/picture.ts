import type { Chart } from './chart.ts';
import type { ChartEdge } from './edges.ts';

/** Position in pixels from the upper left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Rectangle with its upper left corner. */
export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** A chart with the positions of its states and edges. */
export interface Picture {
  readonly chart: Chart;
  readonly width: number;
  readonly height: number;
  /** States in an order in which each state precedes the states that it contains. */
  readonly states: readonly PlacedState[];
  readonly edges: readonly PlacedEdge[];
  /** Dots with lines to the initial states of the machine and of compound states. */
  readonly beginnings: readonly { readonly at: Point; readonly line: readonly Point[] }[];
}

/** Position of a state. */
export interface PlacedState {
  readonly path: string;
  readonly box: Box;
}

/** An edge with its line and the position of its label. */
export interface PlacedEdge extends ChartEdge {
  readonly line: readonly Point[];
  readonly labelBox?: Box;
}
