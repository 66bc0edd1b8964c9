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
 * Runs pods until enough of them have succeeded, as release 1.24 does with pods tracked by finalizers: parallelism,
 * completions, back-off, deadline, suspension, Indexed completion.
 */
export const jobController = implement(jobManifest, {
  machine: jobMachine,
  watches: (context) => [watch(jobs), watch(pods, { keys: createPodKeys(context) })],
  effects: createEffects,
  afterReconcile: (context, pass) => syncsOf(context).ended(pass),
});

const syncs = new WeakMap<ControllerContext, JobSyncMetrics>();
function syncsOf(context: ControllerContext): JobSyncMetrics {
  const known = syncs.get(context) ?? createJobSyncMetrics(context.metrics);
  syncs.set(context, known);
  return known;
}

/** A pod brings up the Job that controls it, the one it is kept for, and those that may adopt it. */
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
 * The key of the Job that a pod with the tracking finalizer is kept for: by its controller, else by its label, else by its
 * own name, so that every one of them has a key under which it is let go.
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

  /** The Job a decision was made on; a successor of the same name is none. */
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
