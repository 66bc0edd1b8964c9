import { leases } from '../../api/groups/coordination-v1.ts';
import type { Clock } from '../../base/clock/clock.ts';
import { type Commit, isOf, objectOf } from '../invariants/invariant.ts';
import { holderOf } from '../invariants/leaderelection.ts';

/** Who leads, as the store shows it. The times in a lease say nothing here: they are of its holder's clock, which may be wrong. */
export interface Leaders {
  onCommit(commit: Commit): void;
  /** Whether each lease has had one holder for `quietMs`, who has renewed it within the time it lasts. */
  areSettled(quietMs: number): boolean;
}

/** By the monotonic clock. */
interface Term {
  readonly holder: string;
  readonly sinceMs: number;
  readonly renewedMs: number;
  readonly lastsMs: number;
}

/** `prefix` begins the names of the leases in question. */
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
