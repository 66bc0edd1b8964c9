/** What a generated token Secret is judged by; times in milliseconds since the epoch, dates at their beginning. */
export interface ObservedLegacyToken {
  /** The API server's time. */
  readonly nowMs: number;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdMs: number;
  /** Since when the API server notes who uses such tokens; undefined when it does not: then nothing is known of their use. */
  readonly trackedSinceMs: number | undefined;
  /** The Secret is an account's own, made for it and named by it. */
  readonly generated: boolean;
  /** A pod has it. */
  readonly inUse: boolean;
  readonly lastUsedMs: number | undefined;
  /** When it was marked as invalid; undefined for one that is not, or whose mark is no date. */
  readonly invalidSinceMs: number | undefined;
}

export type Verdict =
  | { readonly verdict: 'keep' }
  | { readonly verdict: 'wait'; readonly afterMs: number }
  /** Nobody has used it for a whole period. */
  | { readonly verdict: 'mark' }
  /** Nor for another one since it was marked. */
  | { readonly verdict: 'delete' };

const DAY_MS = 86_400_000;
/** A date says that something happened by the end of that day, at the latest. */
const endOf = (dateMs: number | undefined): number => (dateMs === undefined ? -Infinity : dateMs + DAY_MS);

/** A token is marked when it is old, its use is tracked and unseen, all for `periodMs`; and deleted a period later. Pure. */
export function judge(token: ObservedLegacyToken | null, periodMs: number): Verdict {
  if (token === null || token.trackedSinceMs === undefined || !token.generated || token.inUse)
    return { verdict: 'keep' };
  const { nowMs, createdMs, trackedSinceMs, lastUsedMs, invalidSinceMs } = token;
  const idleSinceMs = Math.max(createdMs, endOf(trackedSinceMs), endOf(lastUsedMs));
  const dueMs = Math.max(idleSinceMs, endOf(invalidSinceMs)) + periodMs;
  if (dueMs > nowMs) return { verdict: 'wait', afterMs: dueMs - nowMs };
  return { verdict: invalidSinceMs === undefined ? 'mark' : 'delete' };
}
