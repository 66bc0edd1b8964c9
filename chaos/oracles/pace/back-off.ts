import type { ApiObject, DeepReadonly, Kind } from '../../../api/kinds/index.ts';

/** Back-off with which a controller replaces failed dependents of one owner. */
export interface BackOff {
  readonly id: string;
  readonly says: string;
  readonly dependents: Kind<never>;
  readonly outcomeOf: (object: DeepReadonly<ApiObject>) => 'failed' | 'succeeded' | undefined;
  /** Returns the time of the end that the object states, in milliseconds. */
  readonly endedMs: (object: DeepReadonly<ApiObject>) => number;
  /** Number of failures in a row that are replaced at once. */
  readonly free: number;
  /** Delay after the next failure in milliseconds; it doubles with each further one up to the longest. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Returns the delay after a number of failures in a row, in milliseconds. */
export const delayAfter = ({ free, firstMs, longestMs }: BackOff, failures: number): number =>
  failures <= free ? 0 : Math.min(firstMs * 2 ** (failures - free - 1), longestMs);
