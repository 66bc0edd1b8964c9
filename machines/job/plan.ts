import { type Tally, count, countsOf, isActive, noCounts } from './count.ts';
import type { Indexes } from './indexes.ts';
import type { JobCounts, ObservedJob, ObservedPod, PodRef } from './observed.ts';

export interface PlannedCondition {
  readonly type: 'Complete' | 'Failed' | 'Suspended';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Status that a reconcile writes. */
export interface PlannedStatus extends JobCounts {
  readonly startMs: number | undefined;
  readonly condition: PlannedCondition | undefined;
  /** True if finalizers track the pods. An annotation on the Job records this for later controllers. */
  readonly tracked: boolean;
}

/** Actions of one reconcile, in the order of the fields. */
export interface JobPlan {
  /**
   * Pods to adopt. If there are any, the plan has no other action but `release`, because adoption changes the
   * counts.
   */
  readonly adopt: readonly PodRef[];
  readonly release: readonly PodRef[];
  /** Status to write on the observed version, before pods are deleted or created. */
  readonly status: PlannedStatus | undefined;
  /** Pods that the status accounts for, so that their finalizer can be removed. */
  readonly untrack: readonly PodRef[];
  /**
   * Running pods to delete. If `counted` is true, they count as failures of the Job. Otherwise their
   * finalizer is removed first.
   */
  readonly remove: { readonly pods: readonly PodRef[]; readonly counted: boolean };
  /** One entry for each pod to create: its completion index, or null for a Job that is not Indexed. */
  readonly create: readonly (number | null)[];
  /** Events to emit once the status is written. */
  readonly events: readonly PlannedEvent[];
  /** Time in milliseconds after which elapsed time alone causes work, and the reason. */
  readonly wake: { readonly afterMs: number; readonly reason: string } | undefined;
}

/** Maximum number of pods created or deleted in one reconcile, and of uids in a status. */
const MAX_PODS_A_RECONCILE = 500;
const FIRST_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 360_000;

export const emptyPlan: JobPlan = {
  adopt: [],
  release: [],
  status: undefined,
  untrack: [],
  remove: { pods: [], counted: false },
  create: [],
  events: [],
  wake: undefined,
};

/**
 * Plans one reconcile. Pure: the same observation yields the same plan, and the state after an executed plan
 * yields an empty plan.
 */
export function planJob(job: ObservedJob): JobPlan {
  if (job.finished) return releaseAll(job);
  const adopt = [...(job.deleting ? [] : job.adoptable), ...untrackedOf(job)];
  if (adopt.length > 0 && job.keepsUncounted === undefined) return probeServer(job);
  if (adopt.length + job.strayed.length > 0) return { ...emptyPlan, adopt, release: job.strayed };

  const all = count(job, Infinity);
  const active = job.pods.filter(isActive);
  const failure = failureOf(job, all.failures);
  if (failure && active.length > 0 && job.keepsUncounted !== false)
    // The final condition depends on these pods, so no pod is released before the condition is written.
    return { ...emptyPlan, remove: { pods: active.slice(0, MAX_PODS_A_RECONCILE), counted: true } };
  const finalCondition =
    failure ?? (active.length === 0 && isComplete(job, all.successes) ? complete : undefined);
  if (finalCondition) return finish(job, all, finalCondition, active);
  return {
    ...proceed(job, suspensionOf(job)),
    ...(job.deleting ? {} : manage(job, all, active)),
    wake: wakeOf(job, all.successes, active.length),
  };
}

/**
 * Plans the release of all pods of a finished Job. A pod that still runs was created by a late request and is
 * deleted.
 */
function releaseAll({ deleting, pods }: ObservedJob): JobPlan {
  // A late pod may have no finalizer: the process that removed the finalizer may have died before the
  // deletion.
  const isLate = (pod: ObservedPod): boolean => !deleting && isActive(pod);
  return {
    ...emptyPlan,
    untrack: pods.filter((pod) => pod.tracked && !isLate(pod)).slice(0, MAX_PODS_A_RECONCILE),
    remove: { pods: pods.filter(isLate).slice(0, MAX_PODS_A_RECONCILE), counted: false },
  };
}

/**
 * Plans a status write that shows whether the server stores the uids of a status. Only then are pods marked
 * with finalizers, because such a server counts them by their finalizers.
 */
const probeServer = ({ counts, startMs }: ObservedJob): JobPlan => ({
  ...emptyPlan,
  status: { startMs, condition: undefined, tracked: false, ...counts },
  wake: { afterMs: 0, reason: 'probe of the stored status' },
});

/** Returns the pods of a Job that a controller without tracking has started. They are counted again. */
const untrackedOf = (job: ObservedJob): readonly PodRef[] =>
  job.tracked || job.keepsUncounted === false ? [] : job.pods.filter((pod) => !pod.tracked && !pod.deleting);

const complete: PlannedCondition = { type: 'Complete', status: 'True', reason: '', message: '' };

function failureOf(job: ObservedJob, failures: number): PlannedCondition | undefined {
  const failed = (reason: string, message: string): PlannedCondition => ({
    type: 'Failed',
    status: 'True',
    reason,
    message,
  });
  if (failures > job.backoffLimit || restartsTooOften(job))
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  const leftMs = deadlineLeftMs(job);
  return leftMs !== undefined && leftMs <= 0
    ? failed('DeadlineExceeded', 'Job was active longer than specified deadline')
    : undefined;
}

function restartsTooOften({ restartsInPlace, backoffLimit, pods }: ObservedJob): boolean {
  if (!restartsInPlace) return false;
  const running = pods.filter(
    ({ phase, deleting }) => phase === 'Running' || phase === 'Pending' || deleting,
  );
  const restarts = running.reduce((sum, pod) => sum + pod.restarts, 0);
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

/**
 * Returns the milliseconds left until the deadline. The time in suspension does not count; a resume restarts
 * the deadline.
 */
const deadlineLeftMs = (job: ObservedJob): number | undefined =>
  job.activeDeadlineMs === undefined || job.startMs === undefined || job.suspend || job.suspended
    ? undefined
    : job.startMs + job.activeDeadlineMs - job.nowMs;

const isComplete = ({ completions }: ObservedJob, successes: number): boolean =>
  completions === undefined ? successes > 0 : successes >= completions;

function suspensionOf({ suspend, suspended, deleting }: ObservedJob): PlannedCondition | undefined {
  if (deleting || suspend === (suspended ?? false)) return undefined;
  return suspend
    ? { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };
}

/**
 * Plans the end of a Job: one write adds all pods to the counts, then their finalizers are removed. Pods that
 * still run count as failed.
 */
function finish(
  job: ObservedJob,
  all: Tally,
  finalCondition: PlannedCondition,
  active: readonly ObservedPod[],
): JobPlan {
  const { completedIndexes } = all.counts;
  return {
    ...emptyPlan,
    status: {
      startMs: job.startMs ?? (job.suspend ? undefined : job.nowMs),
      condition: finalCondition,
      tracked: job.keepsUncounted !== false,
      ...noCounts,
      succeeded: all.successes,
      failed: all.failures + active.length,
      completedIndexes,
    },
    events: eventsOf(job, all.successes, finalCondition),
    untrack: all.accounted.slice(0, MAX_PODS_A_RECONCILE),
    remove: { pods: active.slice(0, MAX_PODS_A_RECONCILE), counted: true },
  };
}

/** Plans the write of a changed status: ended pods, the start time, the condition. */
function proceed(job: ObservedJob, condition: PlannedCondition | undefined): JobPlan {
  const { counts, accounted, successes } = count(job, MAX_PODS_A_RECONCILE);
  const resumed = condition?.status === 'False';
  const started = (job.startMs === undefined && !job.suspend) || resumed;
  const tracked = job.keepsUncounted !== false;
  const changed =
    (tracked && !job.tracked) ||
    started ||
    condition !== undefined ||
    JSON.stringify(counts) !== JSON.stringify(countsOf(job.counts));
  return {
    ...emptyPlan,
    status: changed
      ? { startMs: started ? job.nowMs : job.startMs, condition, tracked, ...counts }
      : undefined,
    untrack: accounted,
    events: condition ? eventsOf(job, successes, condition) : [],
  };
}

function eventsOf(job: ObservedJob, successes: number, condition: PlannedCondition): readonly PlannedEvent[] {
  const { reason, message } = condition;
  if (condition.type === 'Failed') return [{ type: 'Warning', reason, message }];
  if (condition.type === 'Suspended')
    return [{ type: 'Normal', reason: condition.status === 'True' ? 'Suspended' : 'Resumed', message }];
  const tooMany = job.completions !== undefined && successes > job.completions;
  return [
    ...(tooMany
      ? [
          {
            type: 'Warning',
            reason: 'TooManySucceededPods',
            message: 'Too many succeeded pods running after completion count reached',
          } as const,
        ]
      : []),
    { type: 'Normal', reason: 'Completed', message: 'Job completed' },
  ];
}

/** Plans the deletion of surplus pods, or else the creation of missing pods. */
function manage(
  job: ObservedJob,
  { successes, completed }: Tally,
  active: readonly ObservedPod[],
): Partial<Pick<JobPlan, 'remove' | 'create'>> {
  const wanted = job.suspend ? 0 : wantedPods(job, successes, active.length);
  const surplus = surplusOf(job, active, Math.max(0, active.length - wanted));
  if (surplus.length > 0) return { remove: { pods: surplus.slice(0, MAX_PODS_A_RECONCILE), counted: false } };
  const missing = Math.min(wanted - active.length, MAX_PODS_A_RECONCILE);
  if (missing <= 0 || backoffLeftMs(job) > 0) return {};
  return { create: job.indexed ? pendingIndexes(job, completed, active, missing) : nulls(missing) };
}

const nulls = (length: number): readonly null[] => Array.from({ length }, () => null);

function wantedPods({ completions, parallelism }: ObservedJob, successes: number, active: number): number {
  // After the first success, a Job without completions lets its running pods end and starts no further pods.
  if (completions === undefined) return successes > 0 ? active : parallelism;
  return Math.max(0, Math.min(completions - successes, parallelism));
}

/**
 * Returns the pods to delete: first pods without a valid index and duplicates of an index, then the pods with
 * the least progress.
 */
function surplusOf(
  job: ObservedJob,
  active: readonly ObservedPod[],
  atLeast: number,
): readonly ObservedPod[] {
  const ranked = [...active].sort(byProgress);
  const useless: ObservedPod[] = [];
  if (job.indexed) {
    const best = new Map(ranked.map((pod) => [pod.index, pod]));
    for (const pod of ranked)
      if (pod.index === undefined || pod.index >= (job.completions ?? 0) || best.get(pod.index) !== pod)
        useless.push(pod);
  }
  const others = ranked.filter((pod) => !useless.includes(pod));
  return [...useless, ...others.slice(0, Math.max(0, atLeast - useless.length))];
}

const PHASES = ['Pending', 'Unknown', 'Running'];

/** Compares pods by progress, the least progress first. */
const byProgress = (a: ObservedPod, b: ObservedPod): number =>
  Number(a.scheduled) - Number(b.scheduled) ||
  PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase) ||
  Number(a.ready) - Number(b.ready) ||
  (a.ready && b.ready ? b.readySinceMs - a.readySinceMs : 0) ||
  b.restarts - a.restarts ||
  b.createdMs - a.createdMs ||
  (a.name < b.name ? -1 : 1);

/** Returns the lowest indexes that are neither completed nor in use by a running pod. */
function pendingIndexes(
  { completions = 0 }: ObservedJob,
  completed: Indexes,
  active: readonly ObservedPod[],
  wanted: number,
): readonly number[] {
  const taken = new Set([...completed, ...active.map((pod) => pod.index)]);
  const pending: number[] = [];
  for (let index = 0; index < completions && pending.length < wanted; index++)
    if (!taken.has(index)) pending.push(index);
  return pending;
}

/**
 * Returns the milliseconds until the next pod may be created. The delay depends on the failures since the
 * last success: none for the first failure, then 10 s, 20 s and so on, up to six minutes.
 *
 * Failures are counted from the pods, so that the delay survives a restart of the process.
 */
function backoffLeftMs({ pods, nowMs }: ObservedJob): number {
  const lastSuccessMs = Math.max(
    ...pods.filter(({ phase }) => phase === 'Succeeded').map((pod) => pod.endedMs),
    -Infinity,
  );
  const failures = pods.filter((pod) => pod.phase === 'Failed' && pod.endedMs > lastSuccessMs);
  if (failures.length < 2) return 0;
  const waitMs = Math.min(FIRST_BACKOFF_MS * 2 ** (failures.length - 2), MAX_BACKOFF_MS);
  return Math.max(...failures.map((pod) => pod.endedMs)) + waitMs - nowMs;
}

/**
 * Returns the time at which elapsed time causes work: at the deadline, or at the end of the backoff if pods
 * are missing.
 */
function wakeOf(job: ObservedJob, successes: number, active: number): JobPlan['wake'] {
  const backoffMs = backoffLeftMs(job);
  const waits = backoffMs > 0 && !job.suspend && wantedPods(job, successes, active) > active;
  const deadlineMs = deadlineLeftMs(job);
  if (waits && backoffMs < (deadlineMs ?? Infinity))
    return { afterMs: backoffMs, reason: 'back-off after failed pods' };
  return deadlineMs === undefined
    ? undefined
    : { afterMs: Math.max(0, deadlineMs), reason: 'active deadline' };
}
