import { cronJobs, jobs } from '../../api/groups/batch-v1.ts';
import { scheduleSourceOf } from '../../api/groups/batch/index.ts';
import { type DeepReadonly, keyOf } from '../../api/kinds/index.ts';
import { isGone } from '../../api/status/index.ts';
import type { CronJob, Job } from '../../api/types/batch-v1.ts';
import { fromTime } from '../../base/clock/index.ts';
import { type ObservedCronJob, type ObservedJob, mayHaveRunAt } from '../../machines/cronjob/index.ts';
import {
  type Client,
  type ControllerContext,
  type OwnWrites,
  controllerIndex,
  controllerOf,
} from '../../runtime/index.ts';
import { unlessNotFound } from '../absence.ts';

const finishedOf = (job: DeepReadonly<Job>): ObservedJob['finished'] => {
  const done = job.status?.conditions?.find(
    (each) => (each.type === 'Complete' || each.type === 'Failed') && each.status === 'True',
  );
  return done?.type === 'Complete' || done?.type === 'Failed' ? done.type : '';
};

const observeJob = (job: DeepReadonly<Job>): ObservedJob => ({
  name: job.metadata?.name ?? '',
  uid: job.metadata?.uid ?? '',
  resourceVersion: job.metadata?.resourceVersion ?? '',
  finished: finishedOf(job),
  deleting: job.metadata?.deletionTimestamp !== undefined,
  startMs: fromTime(job.status?.startTime),
  completionMs: fromTime(job.status?.completionTime),
});

/** Function that returns the time zone of a CronJob, or undefined for the time zone of the process. */
export type ZoneOf = (spec: DeepReadonly<CronJob>['spec']) => string | undefined;

/** Job that this process has created last for each CronJob, by the key of the CronJob. */
export type CreatedJobs = Map<
  string,
  { readonly owner: string; readonly name: string; readonly uid: string }
>;

/**
 * Creates the effect that reads the input of a reconcile. Jobs are read from the cache. A Job in
 * `status.active` that the cache lacks is read from the API, so that a stale cache never makes a running Job
 * look deleted. Due times are compared with the API server's time, so that a wrong local clock starts nothing
 * early.
 */
export function createObserve(
  context: ControllerContext,
  ownWrites: OwnWrites<CronJob>,
  created: CreatedJobs,
  zoneOf: ZoneOf,
): (input: { key: string }, signal: AbortSignal) => Promise<ObservedCronJob | null> {
  const { client, informers, scheme } = context;
  const { serverClock } = client;
  const cronJobStore = informers.of(cronJobs).store;
  const jobInformer = informers.of(jobs);
  jobInformer.index(...controllerIndex);

  const sinceOf = createScheduleMemory(context, zoneOf);

  return async ({ key }, signal) => {
    const cronJob = ownWrites.newest(key, cronJobStore.get(key));
    const scheduledSinceMs = sinceOf(key, cronJob);
    const { metadata, spec, status } = cronJob ?? {};
    if (!cronJob) created.delete(key);
    if (!cronJob || !metadata?.uid || !metadata.name || !spec) return null;
    const { uid, name, namespace = '' } = metadata;
    const owned = jobInformer.store.byIndex('controller', uid).map(observeJob);
    const active = (status?.active ?? []).map((each) => ({ name: each.name ?? '', uid: each.uid ?? '' }));
    const missing: string[] = [];
    const find = (jobName: string) => jobNamed(client, namespace, jobName, signal);
    for (const entry of active) {
      if (owned.some((job) => job.name === entry.name)) continue;
      const live = await find(entry.name);
      if (live && controllerOf(live)?.uid === uid) owned.push(observeJob(live));
      // If a Job of another owner has the name, the entry's Job cannot be created and is not missing.
      else if (!live || entry.uid !== '') missing.push(entry.name);
    }
    const known = created.get(key);
    const uidOf = async (entry: (typeof active)[number]): Promise<string> => {
      if (entry.uid !== '' || !missing.includes(entry.name)) return entry.uid;
      if (known?.owner === uid && known.name === entry.name) return known.uid;
      const past = await uidInHistory(client, cronJob, entry.name, signal);
      if (past === undefined) return '';
      // Another process may have created the Job after the read above.
      const late = await find(entry.name);
      if (late?.metadata?.uid !== past) return past;
      owned.push(observeJob(late));
      missing.splice(missing.indexOf(entry.name), 1);
      return past;
    };
    // An entry without uid whose Job was created and deleted gets the uid of that Job, because its due time
    // must not run again.
    const identified: typeof active = [];
    for (const entry of active) identified.push({ name: entry.name, uid: await uidOf(entry) });
    return {
      nowMs: serverClock.now(),
      name,
      resourceVersion: metadata.resourceVersion ?? '',
      deleting: metadata.deletionTimestamp !== undefined,
      createdMs: fromTime(metadata.creationTimestamp) ?? serverClock.now(),
      ...scheduleSourceOf(cronJob, scheme.vocabulary),
      timeZone: zoneOf(spec),
      scheduledSinceMs,
      suspend: spec.suspend ?? false,
      concurrencyPolicy: spec.concurrencyPolicy ?? 'Allow',
      startingDeadlineSeconds:
        spec.startingDeadlineSeconds === undefined ? undefined : Number(spec.startingDeadlineSeconds),
      successfulLimit: spec.successfulJobsHistoryLimit,
      failedLimit: spec.failedJobsHistoryLimit,
      active: identified,
      lastScheduleMs: fromTime(status?.lastScheduleTime),
      lastSuccessfulMs: fromTime(status?.lastSuccessfulTime),
      jobs: owned,
      missing,
    };
  };
}

/** Reads a Job from the API. Returns undefined if it does not exist. */
const jobNamed = (
  client: Client,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<DeepReadonly<Job> | undefined> =>
  client.namespaced(jobs, namespace).get(name, { signal }).catch(unlessNotFound);

/** Time limit in seconds of the watch that reads past events, which the server sends at once. */
const HISTORY_SECONDS = 1;

/**
 * Returns the uid of a Job of this CronJob that existed since the CronJob was last written. Returns undefined
 * if the server's history contains no such Job. The process that created the Job may have ended before it
 * recorded the uid, and the Job may have been deleted.
 */
async function uidInHistory(
  client: Client,
  { metadata }: DeepReadonly<CronJob>,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace = '', uid, resourceVersion = '' } = metadata ?? {};
  const since = { resourceVersion, fieldSelector: `metadata.name=${name}`, timeoutSeconds: HISTORY_SECONDS };
  try {
    for await (const { object } of client.namespaced(jobs, namespace).watch({ ...since, signal }))
      if (controllerOf(object)?.uid === uid) return object.metadata?.uid;
  } catch (thrown) {
    if (!isGone(thrown)) throw thrown;
  }
  return undefined;
}

/**
 * Creates a function that returns the time since which a CronJob has its schedule, or undefined if no change
 * is known. The API does not contain this time.
 *
 * A change is recorded when the cache receives it, instead of in a reconcile: another process that shares the
 * queue may run the reconcile. A change while no controller ran is recognized if the new schedule does not
 * include the last run.
 */
function createScheduleMemory({ client, informers, scheme, signal }: ControllerContext, zoneOf: ZoneOf) {
  const known = new Map<string, { readonly text: string; readonly sinceMs: number | undefined }>();
  const note = (key: string, cronJob: DeepReadonly<CronJob>): number | undefined => {
    const source = { ...scheduleSourceOf(cronJob, scheme.vocabulary), timeZone: zoneOf(cronJob.spec) };
    const { uid, schedule, timeZone } = source;
    // The dialect is omitted, because a schedule that is valid in both dialects has the same due times in
    // both.
    const text = JSON.stringify([uid, schedule, timeZone]);
    const before = known.get(key);
    if (before?.text === text) return before.sinceMs;
    const lastMs = fromTime(cronJob.status?.lastScheduleTime);
    const isNew = before === undefined || !before.text.startsWith(`["${uid}",`);
    const changed = isNew ? lastMs !== undefined && !mayHaveRunAt(source, lastMs) : true;
    const sinceMs = changed ? client.serverClock.now() : undefined;
    known.set(key, { text, sinceMs });
    return sinceMs;
  };
  const end = informers.of(cronJobs).subscribe({
    onApply: (cronJob) => void note(keyOf(cronJob), cronJob),
    onDelete: (cronJob) => void known.delete(keyOf(cronJob)),
  });
  signal.addEventListener('abort', end, { once: true });
  return (key: string, cronJob: DeepReadonly<CronJob> | undefined): number | undefined => {
    if (cronJob) return note(key, cronJob);
    known.delete(key);
    return undefined;
  };
}
