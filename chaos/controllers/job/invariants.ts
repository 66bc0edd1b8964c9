import { jobs } from '../../../api/groups/batch-v1.ts';
import { pods } from '../../../api/groups/core-v1.ts';
import type { DeepReadonly } from '../../../api/kinds/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { Job } from '../../../api/types/batch-v1.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import { fromTime } from '../../../base/clock/index.ts';
import { controllerOf } from '../../../runtime/index.ts';
import {
  type Invariant,
  type LiveView,
  invariant,
  liveObjects,
  objectOf,
  verdict,
  withMember,
} from '../../invariants/invariant.ts';

const CONTROLLER = 'job';
/** Time in milliseconds that a new or finished Job may still need before a quiescent world is evaluated. */
const FRESH_MS = 30_000;

const conditionOf = (job: DeepReadonly<Job> | undefined, type: 'Complete' | 'Failed') =>
  job?.status?.conditions?.find((each) => each.type === type && each.status === 'True');
const isFinished = (job: DeepReadonly<Job>): boolean =>
  conditionOf(job, 'Complete') !== undefined || conditionOf(job, 'Failed') !== undefined;
const hasEnded = ({ status }: DeepReadonly<Pod>): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';
const podsOf = (live: LiveView, { metadata }: DeepReadonly<Job>): readonly DeepReadonly<Pod>[] =>
  liveObjects(live, pods, metadata?.namespace).filter((pod) => controllerOf(pod)?.uid === metadata?.uid);
const countsOf = (job: DeepReadonly<Job> | undefined) => ({
  succeeded: job?.status?.succeeded ?? 0,
  failed: job?.status?.failed ?? 0,
});

/**
 * Tolerances in milliseconds between a time in a status and the server's clock. A request has the time at
 * which its reconcile started, so the first is the maximum duration of a reconcile. The second is the maximum
 * lead of the estimated server time.
 */
const LONGEST_RECONCILE_MS = 600_000;
const AHEAD_MS = 5_000;

/** Returns the times in a Job's status by field or condition, in milliseconds. */
const timesOf = (job: DeepReadonly<Job> | undefined): ReadonlyMap<string, number | undefined> =>
  new Map([
    ['start', fromTime(job?.status?.startTime)],
    ['completion', fromTime(job?.status?.completionTime)],
    ...(job?.status?.conditions ?? []).map(
      ({ type, lastTransitionTime }) => [type, fromTime(lastTransitionTime)] as const,
    ),
  ]);

/** Names of pods that ended or were released, by Job. */
interface PodsByJob {
  readonly [job: string]: readonly string[];
}
function withPod(known: PodsByJob, job: string, pod: string): PodsByJob {
  const those = known[job] ?? [];
  return those.includes(pod) ? known : withMember(known, job, [...those, pod].sort());
}

/** Returns the invariants about the end of Jobs, their counters and their pods. */
export const jobInvariants = (vocabulary: Vocabulary): readonly Invariant[] => {
  const tracking = vocabulary.key('batch', 'job-tracking');
  const index = vocabulary.key('batch', 'job-completion-index');
  return [...counting({ tracking, index }), trueTimes, ...ending(tracking)];
};

const isOver = (pod: DeepReadonly<Pod>): boolean =>
  hasEnded(pod) || pod.metadata?.deletionTimestamp !== undefined;

/**
 * Returns the maximum number of pods of a Job in a quiescent world. The pods of finished Jobs are checked by
 * `job/no-held-pod`.
 */
function mostPodsOf(job: DeepReadonly<Job>, nowMs: number): number {
  const { spec, status } = job;
  const parallelism = spec?.parallelism ?? 1;
  if (isFinished(job)) return parallelism;
  if (spec?.suspend) return 0;
  const deadlineMs =
    (fromTime(status?.startTime) ?? nowMs) + Number(spec?.activeDeadlineSeconds ?? Infinity) * 1_000;
  return nowMs > deadlineMs + FRESH_MS ? 0 : parallelism;
}

/** Returns the number of ended pods of a Job: those in `seen`, and those that exist. */
const endedOf = (live: LiveView, job: DeepReadonly<Job>, seen: readonly string[]): number =>
  new Set([
    ...seen,
    ...podsOf(live, job)
      .filter(isOver)
      .map(({ metadata }) => metadata?.uid ?? ''),
  ]).size;

/** Finalizer and annotation of a Job's pods. */
interface PodKeys {
  readonly tracking: string;
  readonly index: string;
}

/**
 * Returns the unit as which a pod is counted. Succeeded pods of one index count once, because two controllers
 * may each have created one.
 */
function countedAs(
  job: DeepReadonly<Job>,
  { metadata, status }: DeepReadonly<Pod>,
  indexKey: string,
): string {
  const index = metadata?.annotations?.[indexKey];
  const isByIndex = job.spec?.completionMode === 'Indexed' && status?.phase === 'Succeeded';
  return isByIndex && index !== undefined ? `index ${index}` : (metadata?.uid ?? '');
}

const isTracked = (job: DeepReadonly<Job> | undefined, tracking: string): boolean =>
  job?.metadata?.annotations?.[tracking] !== undefined;

const counting = ({ tracking, index }: PodKeys): readonly Invariant[] => [
  invariant({
    id: 'job/finished-stays',
    says: 'a finished Job keeps its condition, and is Complete only with all completions',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => null,
    onCommit(state, commit) {
      const after = objectOf(commit, jobs, 'after');
      if (commit.actor !== CONTROLLER || !after) return verdict(state, false);
      const before = objectOf(commit, jobs, 'before');
      const [completed, gaveUp] = [conditionOf(after, 'Complete'), conditionOf(after, 'Failed')];
      if (completed && gaveUp) return verdict(state, true, `${commit.name} is Complete and Failed`);
      const undone = (['Complete', 'Failed'] as const).find(
        (type) => conditionOf(before, type) && !conditionOf(after, type),
      );
      const { succeeded } = countsOf(after);
      if (completed && succeeded < (after.spec?.completions ?? 1))
        return verdict(state, true, `${commit.name} is Complete with ${succeeded} pods that have succeeded`);
      return verdict(state, isFinished(after), undone && `${commit.name} is no longer ${undone}`);
    },
  }),
  invariant({
    id: 'job/counts-grow',
    says: 'the counts of succeeded and failed pods never decrease',
    controller: CONTROLLER,
    kind: 'never',
    initial: (): readonly string[] => [],
    onCommit(untracked, commit) {
      const [before, after] = [objectOf(commit, jobs, 'before'), objectOf(commit, jobs, 'after')];
      // Without its annotation, a Job is counted by the pods that exist.
      const isReleased = isTracked(before, tracking) && after !== undefined && !isTracked(after, tracking);
      const state = isReleased ? [...untracked, commit.uid] : untracked;
      if (commit.actor !== CONTROLLER || !before || !after || state.includes(commit.uid))
        return verdict(state, false);
      const [was, is] = [countsOf(before), countsOf(after)];
      const isLess = is.succeeded < was.succeeded || is.failed < was.failed;
      return verdict(
        state,
        was.succeeded + was.failed > 0,
        isLess ? `the counts of ${commit.name} went back` : undefined,
      );
    },
  }),
  invariant<PodsByJob>({
    id: 'job/no-double-count',
    says: 'only pods that ended or were deleted are counted, each once',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => ({}),
    onCommit(ended, commit, live) {
      const pod = objectOf(commit, pods, 'after') ?? objectOf(commit, pods, 'before');
      const owner = pod && controllerOf(pod)?.uid;
      if (pod && owner !== undefined) {
        if (commit.after && !isOver(pod)) return verdict(ended, false);
        return verdict(withPod(ended, owner, commit.uid), false);
      }
      const job = objectOf(commit, jobs, 'after');
      if (commit.actor !== CONTROLLER || !job) return verdict(ended, false);
      const { succeeded, failed } = countsOf(job);
      const seen = ended[commit.uid] ?? [];
      // Pods may have ended before the invariant observed the world, so existing pods are counted too.
      const over = succeeded + failed > seen.length ? endedOf(live, job, seen) : seen.length;
      const isTooMany = succeeded + failed > over;
      return verdict(
        ended,
        over > 0,
        isTooMany ? `${commit.name} counts ${succeeded + failed} pods of ${over} that have ended` : undefined,
      );
    },
  }),
  invariant<PodsByJob>({
    id: 'job/no-uncounted-release',
    says: 'an ended pod keeps its tracking finalizer until it is counted or its Job has finished',
    controller: CONTROLLER,
    kind: 'never',
    initial: () => ({}),
    onCommit(released, commit, live) {
      const before = objectOf(commit, pods, 'before');
      const owner = before && controllerOf(before)?.uid;
      const wasHeld = before?.metadata?.finalizers?.includes(tracking);
      const isHeld = commit.after?.metadata?.finalizers?.includes(tracking);
      if (commit.actor !== CONTROLLER || !before || !wasHeld || isHeld || !hasEnded(before))
        return verdict(released, false);
      const job = liveObjects(live, jobs, commit.namespace).find(({ metadata }) => metadata?.uid === owner);
      if (owner === undefined || !job || job.metadata?.deletionTimestamp !== undefined)
        return verdict(released, false);
      // A pod that was created late belongs to a finished Job and is not counted.
      if (isFinished(job)) return verdict(released, false);
      const all = withPod(released, owner, countedAs(job, before, index));
      const count = all[owner]?.length ?? 0;
      const { succeeded, failed } = countsOf(job);
      const { uncountedTerminatedPods: waiting } = job.status ?? {};
      const counted = succeeded + failed + (waiting?.succeeded?.length ?? 0) + (waiting?.failed?.length ?? 0);
      return verdict(
        all,
        true,
        count > counted ? `${count} pods were released, but ${counted} counted` : undefined,
      );
    },
  }),
];

const trueTimes: Invariant = invariant({
  id: 'job/server-clock-times',
  says: 'status times follow the server clock, not the clock of the node',
  controller: CONTROLLER,
  kind: 'never',
  // The controller notices a jump of the server clock only with the next response.
  unless: 'api-clock-forward',
  initial: () => null,
  onCommit(state, commit) {
    const after = objectOf(commit, jobs, 'after');
    if (commit.actor !== CONTROLLER || !after) return verdict(state, false);
    const before = timesOf(objectOf(commit, jobs, 'before'));
    const sentMs = commit.sentMs ?? commit.atMs;
    const written = [...timesOf(after)].filter(([what, ms]) => ms !== undefined && ms !== before.get(what));
    const wrong = written.find(
      ([, ms = sentMs]) => ms > sentMs + AHEAD_MS || ms < sentMs - LONGEST_RECONCILE_MS,
    );
    return verdict(
      state,
      written.length > 0,
      wrong && `the ${wrong[0]} of ${commit.name} is ${((wrong[1] ?? sentMs) - sentMs) / 1_000} s off`,
    );
  },
});

const ending = (tracking: string): readonly Invariant[] => [
  invariant({
    id: 'job/job-finishes',
    says: 'a Job without running or failed pods has finished',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const due = liveObjects(live, jobs).filter(
        ({ metadata, spec, status }) =>
          metadata?.deletionTimestamp === undefined &&
          spec?.suspend !== true &&
          (spec?.parallelism ?? 1) > 0 &&
          (status?.failed ?? 0) === 0 &&
          (fromTime(metadata?.creationTimestamp) ?? 0) <= live.nowMs - FRESH_MS,
      );
      const idle = due.find((job) => !isFinished(job) && !podsOf(live, job).some((pod) => !hasEnded(pod)));
      return verdict(
        state,
        due.length > 0,
        idle && `${idle.metadata?.name ?? ''} has no running pod and has not finished`,
      );
    },
  }),
  invariant({
    id: 'job/no-held-pod',
    says: 'a finished Job has no running pods and no pods with its finalizer',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const done = liveObjects(live, jobs).filter(
        (job) =>
          isFinished(job) &&
          (fromTime((conditionOf(job, 'Complete') ?? conditionOf(job, 'Failed'))?.lastTransitionTime) ?? 0) <=
            live.nowMs - FRESH_MS,
      );
      for (const job of done)
        for (const pod of podsOf(live, job)) {
          const isHeld = pod.metadata?.finalizers?.includes(tracking) === true;
          const runs = !hasEnded(pod) && pod.metadata?.deletionTimestamp === undefined;
          if (isHeld || runs)
            return verdict(
              state,
              true,
              `${pod.metadata?.name ?? ''} ${runs ? 'runs' : 'is held'} after the end`,
            );
        }
      return verdict(state, done.length > 0);
    },
  }),
  invariant({
    id: 'job/no-surplus-pod',
    says: 'a Job runs no more pods than its parallelism, and none while suspended or past its deadline',
    controller: CONTROLLER,
    kind: 'eventually',
    initial: () => null,
    atRest(state, live) {
      const all = liveObjects(live, jobs).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
      const crowded = all.find(
        (job) => podsOf(live, job).filter((pod) => !isOver(pod)).length > mostPodsOf(job, live.nowMs),
      );
      return verdict(state, all.length > 0, crowded && `${crowded.metadata?.name ?? ''} has too many pods`);
    },
  }),
];
