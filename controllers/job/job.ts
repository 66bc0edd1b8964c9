import { jobs } from '../../api/groups/batch-v1.ts';
import { pods } from '../../api/groups/core-v1.ts';
import { type DeepReadonly, keyOf, splitKey } from '../../api/kinds/index.ts';
import { fromLabelSelector } from '../../api/selectors/index.ts';
import { isConflict, isNotFound } from '../../api/status/index.ts';
import type { Job, JobStatus } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import { toTime } from '../../base/clock/index.ts';
import {
  type AnnounceInput,
  type JobIdentity,
  type PlannedStatus,
  type RecordInput,
  type Written,
  jobMachine,
} from '../../machines/job/index.ts';
import {
  type ControllerContext,
  type Effects,
  controllerIndex,
  controllerOf,
  createExpectations,
  createOwnWrites,
  keysOfController,
  watch,
} from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import {
  type JobSyncMetrics,
  type SyncAction,
  createJobMetrics,
  createJobSyncMetrics,
} from './job-metrics.ts';
import { JOB_NAME_LABEL, jobNames } from './names.ts';
import { type JobMemory, createObserve, isFinished, noteKept, statusText } from './observe.ts';
import { createPodWrites } from './pod-writes.ts';
import { jobManifest } from './manifest.ts';

/**
 * Runs pods until enough of them have succeeded. Supports parallelism, completions, backoff, deadline,
 * suspension and Indexed completion. Pods are tracked by finalizers, as in release 1.24:
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/2307-job-tracking-without-lingering-pods
 */
export const jobController = implement(jobManifest, {
  machine: jobMachine,
  watches: (context) => [watch(jobs), watch(pods, { keys: createPodKeys(context) })],
  effects: createEffects,
  afterReconcile: (context, reconcile) => syncsOf(context).ended(reconcile),
});

const syncs = new WeakMap<ControllerContext, JobSyncMetrics>();
function syncsOf(context: ControllerContext): JobSyncMetrics {
  const known = syncs.get(context) ?? createJobSyncMetrics(context.metrics);
  syncs.set(context, known);
  return known;
}

/**
 * Returns a function that returns the keys of the Jobs to which a pod is relevant. These are the Job that
 * controls the pod, the Job of its finalizer, and Jobs that may adopt it.
 */
function createPodKeys({ scheme, informers }: ControllerContext) {
  const jobStore = informers.of(jobs).store;
  const ofController = keysOfController(scheme, jobs);
  const holder = createHolder(jobNames(scheme.vocabulary).tracking);
  return (pod: DeepReadonly<Pod>, previous: DeepReadonly<Pod> | undefined): readonly string[] => {
    const { namespace = '', labels } = pod.metadata ?? {};
    const adopters = controllerOf(pod)
      ? []
      : jobStore
          .byIndex('namespace', namespace)
          .filter(({ spec }) => fromLabelSelector(spec?.selector).matches(labels))
          .map((job) => keyOf(job as Job));
    return [...new Set([...ofController(pod, previous), ...holder(pod), ...adopters])];
  };
}

/**
 * Creates a function that returns the key of the Job to which the tracking finalizer of a pod belongs. The
 * key is derived from the pod's controller, its label or its own name. So every pod with the finalizer has a
 * key whose reconcile can remove the finalizer.
 */
const createHolder =
  (tracking: string) =>
  (pod: DeepReadonly<Pod>): readonly string[] => {
    const { namespace = '', name = '', labels, finalizers } = pod.metadata ?? {};
    if (!finalizers?.includes(tracking)) return [];
    const owner = controllerOf(pod);
    return [`${namespace}/${owner?.kind === 'Job' ? owner.name : (labels?.[JOB_NAME_LABEL] ?? name)}`];
  };

function createEffects(context: ControllerContext): Effects {
  const { informers, events, scheme, clock } = context;
  const memory: JobMemory = {
    ownWrites: createOwnWrites<Job>(),
    expectations: createExpectations(clock),
    statuses: new Map(),
    keeps: new Map(),
  };
  const jobStore = informers.of(jobs).store;
  const podInformer = informers.of(pods);
  podInformer.index(...controllerIndex);
  podInformer.index('uncontrolled', (pod) => (controllerOf(pod) ? [] : [pod.metadata?.namespace ?? '']));
  podInformer.index('held', createHolder(jobNames(scheme.vocabulary).tracking));

  /** Returns the Job on which a decision was made. Throws if the name now belongs to another Job. */
  const decidedOn = ({ key, uid }: JobIdentity): DeepReadonly<Job> => {
    const job = memory.ownWrites.newest(key, jobStore.get(key));
    if (job?.metadata?.uid !== uid) throw new Error(`job ${key} has been replaced since it was observed`);
    return job;
  };

  const observe = createObserve(context, { jobs: jobStore, pods: podInformer.store }, memory);
  const acts = (key: string, action: SyncAction): void => {
    const job = jobStore.get(key);
    if (job && !isFinished(job)) syncsOf(context).acts(key, job.spec?.completionMode ?? 'NonIndexed', action);
  };
  return {
    async observe(input: { key: string }, signal: AbortSignal) {
      acts(input.key, 'reconciling');
      const observation = await observe(input, signal);
      if (observation.state === 'job') acts(input.key, 'tracking');
      return observation;
    },
    recordStatus: createRecordStatus(context, memory, decidedOn),
    ...createPodWrites(context, memory, decidedOn, acts),
    announce: async ({ events: planned, ...identity }: AnnounceInput): Promise<Written> => {
      const job = decidedOn(identity);
      for (const { type, reason, message } of planned) events.record(job, type, reason, message);
      return 'done';
    },
  };
}

function createRecordStatus(
  { client, scheme, metrics }: ControllerContext,
  memory: JobMemory,
  decidedOn: (identity: JobIdentity) => DeepReadonly<Job>,
) {
  const countIn = createJobMetrics(metrics);
  return async ({ status, ...identity }: RecordInput, signal: AbortSignal): Promise<Written> => {
    const { key, resourceVersion } = identity;
    const { ownWrites, expectations, statuses } = memory;
    const job = decidedOn(identity);
    const { tracking } = jobNames(scheme.vocabulary);
    const { [tracking]: _, ...annotations } = job.metadata?.annotations ?? {};
    try {
      const written = await client
        .namespaced(jobs, splitKey(key).namespace)
        .subresource('status')
        .update(
          {
            ...job,
            metadata: {
              ...job.metadata,
              resourceVersion,
              annotations: status.tracked ? { ...annotations, [tracking]: '' } : annotations,
            },
            status: toStatus(job, status, toTime(client.serverClock.now())),
          },
          { signal },
        );
      ownWrites.note(key, resourceVersion, written);
      noteKept(memory, written, true);
      statuses.set(key, statusText(written));
      countIn(job, status);
      return 'done';
    } catch (thrown) {
      if (!isConflict(thrown) && !isNotFound(thrown)) throw thrown;
      expectations.doubt(key);
      return 'changed';
    }
  };
}

function toStatus(job: DeepReadonly<Job>, planned: PlannedStatus, now: string): DeepReadonly<JobStatus> {
  const { startMs, condition, completedIndexes, uncounted, tracked: _, ...counts } = planned;
  const others = (job.status?.conditions ?? []).filter(({ type }) => type !== condition?.type);
  return {
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length > 0 ? { succeeded: [...uncounted.succeeded] } : {}),
      ...(uncounted.failed.length > 0 ? { failed: [...uncounted.failed] } : {}),
    },
    ...(others.length > 0 || condition
      ? {
          conditions: [
            ...others,
            ...(condition ? [{ lastProbeTime: now, lastTransitionTime: now, ...condition }] : []),
          ],
        }
      : {}),
    ...(startMs === undefined ? {} : { startTime: toTime(startMs) }),
    ...(condition?.type === 'Complete' ? { completionTime: now } : {}),
    ...counts,
    ...(completedIndexes === '' ? {} : { completedIndexes }),
  };
}
