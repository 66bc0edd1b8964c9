import type { ApiObject, DeepReadonly, Kind } from '../../../api/kinds/index.ts';

type Any = DeepReadonly<ApiObject>;

/** A field that makes objects due at a time, by which a controller must act. */
export interface DueTime {
  readonly id: string;
  readonly says: string;
  readonly kind: Kind<never>;
  /**
   * Returns the latest time up to `nowMs` at which the object was due, unless the controller has acted on it or
   * need not; in milliseconds. Times before `sinceMs` do not count.
   */
  readonly dueMs: (object: Any, nowMs: number, sinceMs: number) => number | undefined;
  /** Returns what decides when the object is due. A change must reach the controller first. */
  readonly termsOf: (object: Any) => unknown;
  /** Returns the part of the terms whose change makes earlier times irrelevant; default none. */
  readonly restartOf?: (object: Any) => unknown;
  /** True if one reconcile may be too few to act; then only quiescent worlds are judged. */
  readonly needsSeveral?: true;
  /**
   * Returns the time before which the controller must not delete the object, in milliseconds; undefined if it must
   * not at all. Default: the controller may delete it at any time.
   */
  readonly endMs?: (object: Any) => number | undefined;
  /** Time in milliseconds after which a quiescent world is judged; undefined if it is not. */
  readonly restMs?: number;
}

export const SECOND_MS = 1_000;

/**
 * Tolerance in milliseconds. A controller estimates the server's time from responses, and is behind by as much as the
 * slowest response took.
 */
export const TOLERANCE_MS = 65_000;

export const isEnding = ({ metadata }: Any): boolean => metadata?.deletionTimestamp !== undefined;

/** Returns a time if it has been reached. */
export const upTo = (dueMs: number | undefined, nowMs: number): number | undefined =>
  dueMs !== undefined && dueMs <= nowMs ? dueMs : undefined;

/** Creates the due time of objects that a controller deletes at a time that they state. */
export const expiration = (
  row: Pick<DueTime, 'id' | 'says' | 'kind' | 'restMs'> & Required<Pick<DueTime, 'endMs'>>,
): DueTime => ({
  ...row,
  dueMs: (object, nowMs) => (isEnding(object) ? undefined : upTo(row.endMs(object), nowMs)),
  termsOf: row.endMs,
});
