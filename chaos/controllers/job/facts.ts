import { jobs } from '../../../api/groups/batch-v1.ts';
import { pods } from '../../../api/groups/core-v1.ts';
import type { ApiObject, DeepReadonly } from '../../../api/kinds/index.ts';
import type { Job } from '../../../api/types/batch-v1.ts';
import type { Pod } from '../../../api/types/core-v1-pod.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { fromTime } from '../../../base/clock/index.ts';
import { controllerOf } from '../../../runtime/index.ts';
import { liveObject, resourceOf } from '../../invariants/invariant.ts';
import { SECOND_MS, isEnding, upTo } from '../../oracles/due/due-time.ts';
import type { ControllerFacts } from '../facts.ts';
import { jobConditions, jobEvents } from './claims.ts';

type Any = DeepReadonly<ApiObject>;

/** Returns the progress of a running pod without index; pods of an index are chosen by index first. */
function progressOf({ metadata, spec, status }: DeepReadonly<Pod>): string | undefined {
  const { phase = 'Pending', conditions = [], containerStatuses = [] } = status ?? {};
  const isIndexed = Object.keys(metadata?.annotations ?? {}).some((name) =>
    name.endsWith('/job-completion-index'),
  );
  if (isIndexed || metadata?.deletionTimestamp !== undefined) return undefined;
  if (phase === 'Succeeded' || phase === 'Failed') return undefined;
  const isReady = conditions.some((each) => each.type === 'Ready' && each.status === 'True');
  const restarts = containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
  return [spec?.nodeName !== undefined, phase, isReady, restarts].join(' ');
}

const outcomeOf = (object: Any): 'failed' | 'succeeded' | undefined => {
  const { phase } = (object as DeepReadonly<Pod>).status ?? {};
  return phase === 'Failed' ? 'failed' : phase === 'Succeeded' ? 'succeeded' : undefined;
};

/** A pod that has ended without running containers, such as an evicted one, states only when it was created. */
function endedMs(object: Any): number {
  const { status, metadata } = object as DeepReadonly<Pod>;
  const ends = (status?.containerStatuses ?? []).flatMap(
    ({ state }) => fromTime(state?.terminated?.finishedAt) ?? [],
  );
  if (ends.length > 0) return Math.max(...ends);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return fromTime(ready?.lastTransitionTime ?? metadata?.creationTimestamp) ?? 0;
}

/** Returns the deadline of a running Job. */
function deadlineOf(job: DeepReadonly<Job>): number | undefined {
  const { activeDeadlineSeconds, suspend } = job.spec ?? {};
  const startMs = fromTime(job.status?.startTime);
  const isOver = job.status?.conditions?.some(
    ({ type, status }) => status === 'True' && ['Complete', 'Failed', 'Suspended'].includes(type),
  );
  if (suspend === true || isOver === true) return undefined;
  return activeDeadlineSeconds === undefined || startMs === undefined
    ? undefined
    : startMs + Number(activeDeadlineSeconds) * SECOND_MS;
}

/** Documented facts about the controller `job` in release 1.24. */
export const jobFacts = (vocabulary: Vocabulary): ControllerFacts => ({
  preferences: [
    {
      // https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/controller/controller_utils.go (ActivePods)
      id: 'choice/job-keeps-oldest-pod',
      says: 'of running pods with equal progress, a Job with too many deletes the youngest',
      owners: jobs,
      dependents: pods,
      classOf: (object) => progressOf(object as DeepReadonly<Pod>),
      rankOf: ({ metadata }) => -(fromTime(metadata?.creationTimestamp) ?? 0),
    },
  ],
  backOffs: [
    {
      // https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy
      id: 'pace/job-replaces-pods-slowly',
      says: 'failed pods of a Job are replaced with a growing delay, which only a success resets',
      dependents: pods,
      outcomeOf,
      endedMs,
      free: 1,
      firstMs: 10_000,
      longestMs: 360_000,
    },
  ],
  dueTimes: [
    {
      // https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup
      id: 'due/active-deadline-ends-job',
      says: 'a Job that runs longer than its deadline fails',
      kind: jobs,
      dueMs: (job, nowMs) => (isEnding(job) ? undefined : upTo(deadlineOf(job as DeepReadonly<Job>), nowMs)),
      termsOf: (job) => deadlineOf(job as DeepReadonly<Job>),
      needsSeveral: true,
      restMs: 30_000,
    },
  ],
  reasons: [
    {
      // https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/2307-job-tracking-without-lingering-pods
      id: 'held/pod-of-no-job',
      says: 'a pod without a Job is not held for being counted by one',
      finalizer: vocabulary.key('batch', 'job-tracking'),
      resources: [resourceOf(pods)],
      isNeeded(pod, live) {
        const owner = controllerOf(pod);
        const { namespace = '' } = pod.metadata ?? {};
        return (
          owner !== undefined && liveObject(live, jobs, namespace, owner.name)?.metadata?.uid === owner.uid
        );
      },
    },
  ],
  conditions: jobConditions,
  events: jobEvents,
});
