import { leases } from '../../api/groups/coordination-v1.ts';
import type { Clock } from '../../base/clock/index.ts';
import { type Commit, isOf, objectOf } from '../invariants/invariant.ts';
import { holderOf } from '../invariants/leaderelection.ts';

/**
 * Tracks leaders by the commits of their leases. Times inside leases are ignored, because the holder's clock
 * may be wrong.
 */
export interface Leaders {
  onCommit(commit: Commit): void;
  /**
   * True if each lease has had the same holder for `quietMs` milliseconds and the holder renewed it in time.
   */
  areSettled(quietMs: number): boolean;
}

/** Term of a leader, in monotonic time. */
interface Term {
  readonly holder: string;
  readonly sinceMs: number;
  readonly renewedMs: number;
  readonly lastsMs: number;
}

/** Creates the tracker of leases whose names start with `prefix`. */
export function createLeaders(clock: Pick<Clock, 'monotonic'>, prefix: string): Leaders {
  const terms = new Map<string, Term>();
  return {
    onCommit(commit) {
      const { name } = commit;
      if (!isOf(commit, leases) || !name.startsWith(prefix)) return;
      const lease = objectOf(commit, leases, 'after');
      if (!lease) return void terms.delete(name);
      const [known, holder, renewedMs] = [terms.get(name), holderOf(lease), clock.monotonic()];
      const sinceMs = known?.holder === holder ? known.sinceMs : renewedMs;
      const lastsMs = (lease.spec?.leaseDurationSeconds ?? 0) * 1_000;
      terms.set(name, { holder, sinceMs, renewedMs, lastsMs });
    },
    areSettled(quietMs) {
      const nowMs = clock.monotonic();
      return [...terms.values()].every(
        ({ holder, sinceMs, renewedMs, lastsMs }) =>
          holder !== '' && nowMs - sinceMs >= quietMs && nowMs - renewedMs < lastsMs,
      );
    },
  };
}
