/** A message from one lane to another. Rows are indexes into the rows of the diagram. */
export interface Arrow {
  readonly from: number;
  readonly fromRow: number;
  readonly to: number;
  readonly toRow: number;
  /** A request to the API server, a response, or an event of a watch. */
  readonly carries: 'request' | 'response' | 'event';
  /** True for a message that never arrives. */
  readonly isLost: boolean;
  /** True for a message that a fault affected. */
  readonly isFaulty: boolean;
}
