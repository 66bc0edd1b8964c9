/**
 * Input of the decision about a generated token Secret. Times are milliseconds since the epoch; a date is
 * represented by its first millisecond.
 */
export interface ObservedLegacyToken {
  /** Current time of the API server. */
  readonly nowMs: number;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdMs: number;
  /** Time at which the API server started to track token use; undefined if it does not track use. */
  readonly trackedSinceMs: number | undefined;
  /** True if the Secret was generated for a ServiceAccount that names it. */
  readonly generated: boolean;
  /** True if a pod mounts the Secret. */
  readonly inUse: boolean;
  readonly lastUsedMs: number | undefined;
  /** Date of the mark as invalid; undefined without a mark or if the mark is not a date. */
  readonly invalidSinceMs: number | undefined;
}

export type TokenVerdict =
  | { readonly verdict: 'keep' }
  | { readonly verdict: 'wait'; readonly afterMs: number }
  /** The token was unused for a whole period. */
  | { readonly verdict: 'mark' }
  /** The token was unused for another period since the mark. */
  | { readonly verdict: 'delete' };

const DAY_MS = 86_400_000;
/** Returns the end of a day, by which an event with this date has happened. */
const endOf = (dateMs: number | undefined): number => (dateMs === undefined ? -Infinity : dateMs + DAY_MS);

/**
 * Decides about a token. The token is marked once its age, its tracking and its last use are all older than
 * `periodMs`, and deleted a period later. Pure.
 */
export function judge(token: ObservedLegacyToken | null, periodMs: number): TokenVerdict {
  if (token === null || token.trackedSinceMs === undefined || !token.generated || token.inUse)
    return { verdict: 'keep' };
  const { nowMs, createdMs, trackedSinceMs, lastUsedMs, invalidSinceMs } = token;
  const idleSinceMs = Math.max(createdMs, endOf(trackedSinceMs), endOf(lastUsedMs));
  const dueMs = Math.max(idleSinceMs, endOf(invalidSinceMs)) + periodMs;
  if (dueMs > nowMs) return { verdict: 'wait', afterMs: dueMs - nowMs };
  return { verdict: invalidSinceMs === undefined ? 'mark' : 'delete' };
}
