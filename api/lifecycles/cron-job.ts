import { fromTime } from '../../base/clock/index.ts';
import type { CronSchedule } from '../../base/cron/index.ts';
import { scheduleOf } from '../groups/batch/schedule.ts';
import type { DeepReadonly } from '../kinds/kind.ts';
import type { CronJob } from '../types/batch-v1.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { ANY, DELETED, type Lifecycle, type Transition } from './lifecycle.ts';

const states = {
  Suspended: 'it starts no runs until it is resumed',
  NeverDue: 'its schedule is invalid or has no due time',
  Waiting: 'nothing runs, and the next run is not due yet',
  Due: 'a run is due and has not started yet',
  Running: 'at least one of its Jobs runs',
  Blocked: 'a run is due, but must wait for the end of the last one',
  Missed: 'the latest run was not started within its deadline',
} as const;

type State = keyof typeof states;

/** Changes of the spec, which a user may make in every state. */
const edits = Object.keys(states).flatMap((state): readonly Transition<State>[] => [
  {
    from: ANY,
    to: state as State,
    by: ['user'],
    reason: state === 'Suspended' ? 'it is suspended' : 'its spec is changed',
  },
]);

/** Progress of the clock. */
const waits: readonly Transition<State>[] = [
  { from: ['Waiting', 'Missed'], to: 'Due', by: ['clock'], reason: 'a due time is reached' },
  { from: ['Running'], to: 'Due', by: ['clock'], reason: 'runs may overlap' },
  { from: ['Running'], to: 'Blocked', by: ['clock'], reason: 'runs must not overlap' },
  { from: ['Due', 'Waiting'], to: 'Missed', by: ['clock'], reason: 'the deadline passes' },
  { from: ['Due', 'Blocked'], to: 'Running', by: ['clock'], reason: 'the deadline passes' },
];

/**
 * Writes of the controller to the status. A write may arrive after the deadline or the due time for which it was
 * decided.
 */
const runs: readonly Transition<State>[] = [
  { from: ['Due', 'Blocked', 'Missed'], to: 'Running', by: ['cronjob'], reason: 'a run is started' },
  { from: ['Due'], to: 'Blocked', by: ['cronjob'], reason: 'a run is started after the next due time' },
  { from: ['Running'], to: 'Waiting', by: ['cronjob'], reason: 'its last Job ends' },
  { from: ['Running'], to: 'Missed', by: ['cronjob'], reason: 'its last Job ends after a deadline' },
  { from: ['Blocked'], to: 'Due', by: ['cronjob'], reason: 'its last Job ends' },
  {
    from: ['Due', 'Blocked', 'Missed'],
    to: 'Waiting',
    by: ['cronjob'],
    reason: 'the Job of the run has already ended',
  },
  {
    from: ['Due', 'Running'],
    to: 'NeverDue',
    by: ['cronjob'],
    reason: 'its last Job ends, and none follows',
  },
];

/** Returns the state of the latest run: not due, due, or due and too late. */
function latestRun(
  { metadata, spec, status }: DeepReadonly<CronJob>,
  schedule: CronSchedule,
  nowMs: number,
): 'none' | 'due' | 'late' {
  const createdMs = fromTime(metadata?.creationTimestamp) ?? nowMs;
  const afterMs = fromTime(status?.lastScheduleTime) ?? createdMs;
  const { atMs } = schedule.latest(afterMs, nowMs);
  if (atMs === undefined) return 'none';
  const deadline = spec?.startingDeadlineSeconds;
  return deadline !== undefined && atMs + Number(deadline) * 1_000 < nowMs ? 'late' : 'due';
}

const parsed = (cronJob: DeepReadonly<CronJob>, vocabulary: Vocabulary): CronSchedule | undefined => {
  try {
    return scheduleOf(cronJob, vocabulary);
  } catch {
    return undefined;
  }
};

/** Lifecycle of CronJobs (https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/). */
export const cronJobLifecycle = {
  id: 'cron-job',
  noun: 'CronJob',
  kind: { group: 'batch', plural: 'cronjobs', kind: 'CronJob' },
  states,
  transitions: [
    { from: ['absent'], to: 'Waiting', by: ['user'], reason: 'it is created' },
    { from: ['absent'], to: 'Suspended', by: ['user'], reason: 'it is created suspended' },
    { from: ['absent'], to: 'NeverDue', by: ['user'], reason: 'it is created without a due time' },
    ...waits,
    ...runs,
    ...edits,
    {
      from: ANY,
      to: DELETED,
      by: ['user', 'namespace', 'garbagecollector'],
      reason: 'it is no longer needed',
    },
  ],
  stateOf(cronJob, { nowMs, vocabulary }) {
    const { spec, status } = cronJob;
    if (spec?.suspend === true) return 'Suspended';
    const schedule = parsed(cronJob, vocabulary);
    const latest = schedule === undefined ? 'none' : latestRun(cronJob, schedule, nowMs);
    const isActive = (status?.active ?? []).length > 0;
    if (latest === 'due') return isActive && spec?.concurrencyPolicy === 'Forbid' ? 'Blocked' : 'Due';
    if (isActive) return 'Running';
    if (latest === 'late') return 'Missed';
    return schedule?.next(nowMs) === undefined ? 'NeverDue' : 'Waiting';
  },
} satisfies Lifecycle<CronJob, State>;
