import { cronJobs } from '../../api/groups/batch-v1.ts';
import { leases } from '../../api/groups/coordination-v1.ts';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { CronJob } from '../../api/types/batch-v1.ts';
import { fromTime } from '../../base/clock/clock.ts';
import { parseCron } from '../../base/cron/cron.ts';
import { resourceName } from '../../runtime/index.ts';
import { CONTROLLER } from './cronjob-runs.ts';
import { type Commit, type ProcessEntry, isOf, objectOf } from './invariant.ts';
import { holderOf } from './leaderelection.ts';

const RESOURCE = resourceName(cronJobs.plural, cronJobs.group);

/** By key, `namespace/name`: milliseconds since the epoch. */
type Shown = { readonly [key: string]: number };

/** What can be known of the schedules of CronJobs and when they were changed: the API holds no such time. */
export interface Changes {
  /** When a schedule was changed last, by uid. */
  readonly changedMs: { readonly [uid: string]: number };
  /** When the latest term of a leader began. */
  readonly termMs?: number;
  /** When a process was first shown each CronJob, by process; absent where no process tells what it was shown. */
  readonly shownMs?: { readonly [process: string]: Shown };
}

/** Whether it gives the controller's lease to another, who begins his term as a process starts: knowing of no change. */
export const isTakeover = (commit: Commit): boolean =>
  isOf(commit, leases) &&
  commit.name.endsWith(`-${CONTROLLER}`) &&
  holderOf(objectOf(commit, leases, 'before')) !== holderOf(objectOf(commit, leases, 'after'));

export const asTakenOver = ({ changedMs, shownMs }: Changes, { atMs }: Commit): Changes => ({
  changedMs,
  termMs: atMs,
  ...(shownMs && { shownMs: {} }),
});

export const asChanged = (state: Changes, { uid, atMs }: Commit): Changes => ({
  ...state,
  changedMs: { ...state.changedMs, [uid]: atMs },
});

/** Nobody was shown an object before it was created: what was shown by its name was another. */
export function asCreated(state: Changes, { namespace, name }: Commit): Changes {
  if (!state.shownMs) return state;
  const others = Object.entries(state.shownMs).map(
    ([process, shown]) => [process, without(shown, `${namespace}/${name}`)] as const,
  );
  return { ...state, shownMs: Object.fromEntries(others) };
}

const without = (shown: Shown, key: string): Shown =>
  Object.fromEntries(Object.entries(shown).filter(([each]) => each !== key));

export const asStarted = (state: Changes, { process }: ProcessEntry): Changes => ({
  ...state,
  shownMs: { ...state.shownMs, [process]: {} },
});

/** What brings a key up tells of the object that was shown. */
export function asShown(state: Changes, { process, atMs, event }: ProcessEntry): Changes {
  if (event === 'started' || event.controller !== CONTROLLER) return state;
  const { key, cause } = event;
  const shown = state.shownMs?.[process] ?? {};
  if (cause?.resource !== RESOURCE || cause.object !== key || shown[key] !== undefined) return state;
  return { ...state, shownMs: { ...state.shownMs, [process]: { ...shown, [key]: atMs } } };
}

/**
 * Whether the process that writes can know that the schedule was changed then: it was shown the CronJob before, or there
 * was a run that this schedule has no time for. Where no process tells what it was shown, a leader has seen all that there
 * was as his term began.
 */
export function isKnown(
  changedMs: number,
  { termMs = -Infinity, shownMs }: Changes,
  { node = '', namespace, name }: Commit,
  { spec, status }: DeepReadonly<CronJob>,
): boolean {
  const sinceMs = shownMs ? (shownMs[node]?.[`${namespace}/${name}`] ?? Infinity) : termMs;
  if (sinceMs < changedMs) return true;
  const lastMs = fromTime(status?.lastScheduleTime);
  return lastMs !== undefined && parseCron(spec?.schedule ?? '', spec?.timeZone).next(lastMs - 1) !== lastMs;
}
