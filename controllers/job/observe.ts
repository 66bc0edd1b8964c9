import { jobs } from '../../api/groups/batch-v1.ts';
import { pods } from '../../api/groups/core-v1.ts';
import { type DeepReadonly, splitKey } from '../../api/kinds/index.ts';
import { fromLabelSelector } from '../../api/selectors/index.ts';
import type { Job } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import { fromTime } from '../../base/clock/index.ts';
import type { Observation, ObservedJob, ObservedPod, PodRef } from '../../machines/job/index.ts';
import {
  type CachedUids,
  type ControllerContext,
  type Expectations,
  type OwnWrites,
  type Store,
  controllerOf,
} from '../../runtime/index.ts';
import { type JobNames, jobNames } from './names.ts';
import { unlessNotFound } from '../absence.ts';

type FrozenJob = DeepReadonly<Job>;
type FrozenPod = DeepReadonly<Pod>;

/** State that one process retains about its own writes to Jobs. */
export interface JobMemory {
  readonly ownWrites: OwnWrites<Job>;
  readonly expectations: Expectations;
  /**
   * Status that this process last wrote or read from the API, by key; missing for a Job without a status. Any
   * other status in the cache proves that another process handles the Job.
   */
  readonly statuses: Map<string, string>;
  /**
   * Maps a status field to true if the server stores the field, and to false if it drops the field. Missing
   * until a response proves either.
   */
  readonly keeps: Map<'uncountedTerminatedPods', boolean>;
}

/**
 * Records whether the server stores the field, from a Job that it returned.
 * @param wasWritten true if the Job is the response to a status update with the field
 */
export function noteKept({ keeps }: JobMemory, job: FrozenJob, wasWritten: boolean): void {
  const isThere = job.status?.uncountedTerminatedPods !== undefined;
  if ((isThere || wasWritten) && keeps.get('uncountedTerminatedPods') !== isThere)
    keeps.set('uncountedTerminatedPods', isThere);
}

/** Caches in which a Job is observed. */
export interface JobStores {
  readonly jobs: Store<Job>;
  /**
   * Pods with the indexes `controller`, `uncontrolled` (by namespace) and `held` (by the key of
   * `createHolder`).
   */
  readonly pods: Store<Pod>;
}

export const isFinished = (job: FrozenJob): boolean =>
  (job.status?.conditions ?? []).some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );

/** Returns the uid and status as one string, or '' for a Job without a status. */
export const statusText = (job: FrozenJob): string =>
  job.status?.startTime === undefined && (job.status?.conditions ?? []).length === 0
    ? ''
    : JSON.stringify([job.metadata?.uid, job.status]);

const isTracked = (pod: FrozenPod, { tracking }: JobNames): boolean =>
  pod.metadata?.finalizers?.includes(tracking) ?? false;

const createRefOf =
  (names: JobNames) =>
  (pod: FrozenPod): PodRef => ({
    name: pod.metadata?.name ?? '',
    uid: pod.metadata?.uid ?? '',
    resourceVersion: pod.metadata?.resourceVersion ?? '',
    tracked: isTracked(pod, names),
  });

const hasEnded = ({ status }: FrozenPod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

/**
 * Returns the pods by uid. A finished pod without the finalizer has been counted. It is treated as ending, so
 * that it is not counted again.
 */
const uidsOf = (list: readonly FrozenPod[], names: JobNames): CachedUids =>
  new Map(
    list.map((pod) => {
      const { uid = '', deletionTimestamp } = pod.metadata ?? {};
      return [uid, { ending: deletionTimestamp !== undefined || (hasEnded(pod) && !isTracked(pod, names)) }];
    }),
  );

/**
 * True if a list contains a pod in an earlier state than the cache: a counted pod cannot become uncounted.
 */
const isPast = (list: CachedUids, cached: CachedUids): boolean =>
  [...cached].some(([uid, { ending }]) => ending && list.get(uid)?.ending === false);

export function createObserve(
  { client, scheme }: ControllerContext,
  stores: JobStores,
  memory: JobMemory,
): (input: { key: string }, signal: AbortSignal) => Promise<Observation> {
  const { ownWrites, expectations, statuses, keeps } = memory;
  const names = jobNames(scheme.vocabulary);
  const refOf = createRefOf(names);

  const readLive = async (key: string, signal: AbortSignal): Promise<FrozenJob | undefined> => {
    const { namespace, name } = splitKey(key);
    return client.namespaced(jobs, namespace).get(name, { signal }).catch(unlessNotFound);
  };

  /** Reads pods from the API. Omits pods that were deleted or replaced. */
  const readPods = async (
    key: string,
    known: readonly FrozenPod[],
    signal: AbortSignal,
  ): Promise<readonly FrozenPod[]> => {
    const own = client.namespaced(pods, splitKey(key).namespace);
    const read = known.map(async ({ metadata: { name = '', uid } = {} }) => {
      const pod = await own.get(name, { signal }).catch(unlessNotFound);
      return pod?.metadata?.uid === uid ? pod : undefined;
    });
    return (await Promise.all(read)).filter((pod) => pod !== undefined);
  };

  /**
   * Returns the pods with the finalizer for this key that no Job of this name controls. The Job is read from
   * the API, because the cache may lack it.
   */
  const orphansOf = async (
    key: string,
    job: FrozenJob | undefined,
    signal: AbortSignal,
  ): Promise<readonly FrozenPod[]> => {
    const selector = fromLabelSelector(job?.spec?.selector);
    const isStranger = (pod: FrozenPod): boolean => {
      const owner = controllerOf(pod);
      return owner ? owner.uid !== job?.metadata?.uid : !selector.matches(pod.metadata?.labels);
    };
    const cached = stores.pods.byIndex('held', key).filter(isStranger);
    if (cached.length === 0) return [];
    const live = await readLive(key, signal);
    const strangers = expectations.doubted(key)
      ? (await readPods(key, cached, signal)).filter((pod) => isTracked(pod, names) && isStranger(pod))
      : cached;
    return strangers.filter((pod) => controllerOf(pod)?.uid !== live?.metadata?.uid || live === undefined);
  };

  /**
   * Reads the Job and its pods from the API, and records the pods that the cache lacks. Returns undefined if
   * the list of pods is stale.
   */
  const confirm = async (
    key: string,
    cached: FrozenJob,
    { owned, free }: { readonly owned: readonly FrozenPod[]; readonly free: readonly FrozenPod[] },
    signal: AbortSignal,
  ) => {
    const job = await readLive(key, signal);
    if (job?.metadata?.uid !== cached.metadata?.uid || !job) return undefined;
    const selector = fromLabelSelector(job.spec?.selector);
    const { namespace } = splitKey(key);
    const { items } = await client
      .namespaced(pods, namespace)
      .list({ labelSelector: selector.toString(), signal });
    const isOwn = (pod: FrozenPod): boolean => controllerOf(pod)?.uid === job.metadata?.uid;
    const isTaken = (pod: FrozenPod): boolean => selector.matches(pod.metadata?.labels);
    const live = items.filter(isOwn);
    const listed = new Set(items.map(({ metadata }) => metadata?.uid));
    // The list lacks pods that no longer match the selector, such as a pod that was just adopted. Only the
    // cache contains these pods.
    const known = [...owned, ...free.filter(isTaken)].filter(({ metadata }) => !listed.has(metadata?.uid));
    const strayed = await readPods(key, known, signal);
    const [read, held] = [uidsOf(live, names), uidsOf(owned.filter(isTaken), names)];
    // A matching pod that is in the cache and in the API but not in the list proves that the list is stale.
    if (strayed.some(isTaken) || isPast(read, held)) return undefined;
    expectations.confirm(key, read, held);
    ownWrites.note(key, cached.metadata?.resourceVersion ?? '', job);
    statuses.set(key, statusText(job));
    return {
      job,
      owned: [...live, ...strayed.filter(isOwn)],
      free: items.filter((pod) => !controllerOf(pod)),
    };
  };

  return async ({ key }, signal) => {
    let job = ownWrites.newest(key, stores.jobs.get(key));
    const orphans = (await orphansOf(key, job, signal)).map(refOf);
    if (!job?.metadata?.uid || !job.spec) {
      expectations.forget(key);
      statuses.delete(key);
      return { state: 'gone', orphans };
    }
    let owned = stores.pods.byIndex('controller', job.metadata.uid);
    let free = stores.pods.byIndex('uncontrolled', job.metadata.namespace ?? '');
    const isOver = isFinished(job);
    const isOurs = isOver || statusText(job) === (statuses.get(key) ?? '');
    const believed = isOurs ? expectations.check(key, uidsOf(owned, names)) : 'doubtful';
    // A finished Job counts no further pods, so it does not wait for the cache.
    if (believed === 'pending' && !isOver) return { state: 'behind' };
    if (believed === 'doubtful') {
      const confirmed = await confirm(key, job, { owned, free }, signal);
      if (!confirmed) return { state: 'behind' };
      ({ job, owned, free } = confirmed);
    }
    noteKept(memory, job, false);
    const selector = fromLabelSelector(job.spec?.selector);
    const takes = (pod: FrozenPod): boolean => selector.matches(pod.metadata?.labels);
    return {
      state: 'job',
      orphans,
      job: {
        keepsUncounted: keeps.get('uncountedTerminatedPods'),
        pods: owned.filter(takes).map((pod) => observePod(pod, names)),
        adoptable: free
          .filter((pod) => takes(pod) && pod.metadata?.deletionTimestamp === undefined)
          .map(refOf),
        strayed: owned.filter((pod) => !takes(pod)).map(refOf),
        ...observeJob(job, names, client.serverClock.now()),
      },
    };
  };
}

function observeJob(
  job: FrozenJob,
  { tracking }: JobNames,
  nowMs: number,
): Omit<ObservedJob, 'pods' | 'adoptable' | 'strayed' | 'keepsUncounted'> {
  const { metadata, spec, status } = job;
  const suspended = status?.conditions?.find(({ type }) => type === 'Suspended');
  return {
    nowMs,
    uid: metadata?.uid ?? '',
    resourceVersion: metadata?.resourceVersion ?? '',
    deleting: metadata?.deletionTimestamp !== undefined,
    finished: isFinished(job),
    tracked: metadata?.annotations?.[tracking] !== undefined && status?.uncountedTerminatedPods !== undefined,
    parallelism: spec?.parallelism ?? 1,
    completions: spec?.completions,
    indexed: spec?.completionMode === 'Indexed',
    backoffLimit: spec?.backoffLimit ?? 6,
    activeDeadlineMs:
      spec?.activeDeadlineSeconds === undefined ? undefined : Number(spec.activeDeadlineSeconds) * 1000,
    suspend: spec?.suspend ?? false,
    restartsInPlace: spec?.template?.spec?.restartPolicy === 'OnFailure',
    startMs: fromTime(status?.startTime),
    suspended: suspended === undefined ? undefined : suspended.status === 'True',
    counts: {
      active: status?.active ?? 0,
      ready: status?.ready ?? 0,
      succeeded: status?.succeeded ?? 0,
      failed: status?.failed ?? 0,
      completedIndexes: status?.completedIndexes ?? '',
      uncounted: {
        succeeded: status?.uncountedTerminatedPods?.succeeded ?? [],
        failed: status?.uncountedTerminatedPods?.failed ?? [],
      },
    },
  };
}

function observePod(pod: FrozenPod, names: JobNames): ObservedPod {
  const { metadata, spec, status } = pod;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const createdMs = fromTime(metadata?.creationTimestamp) ?? 0;
  const ended = containers.flatMap(({ state }) => fromTime(state?.terminated?.finishedAt) ?? []);
  const indexText = metadata?.annotations?.[names.completionIndex] ?? '';
  return {
    phase: status?.phase ?? 'Pending',
    scheduled: Boolean(spec?.nodeName),
    ready: ready?.status === 'True',
    readySinceMs: fromTime(ready?.lastTransitionTime) ?? 0,
    restarts: containers.reduce((sum, { restartCount }) => sum + restartCount, 0),
    createdMs,
    endedMs: ended.length > 0 ? Math.max(...ended) : (fromTime(ready?.lastTransitionTime) ?? createdMs),
    deleting: metadata?.deletionTimestamp !== undefined,
    index: /^\d+$/.test(indexText) ? Number(indexText) : undefined,
    ...createRefOf(names)(pod),
  };
}
