import { cronJobs, jobs } from '../../api/groups/batch-v1.ts';
import { scheduleSourceOf } from '../../api/groups/batch/index.ts';
import { type DeepReadonly, splitKey } from '../../api/kinds/index.ts';
import { isAlreadyExists, isNotFound } from '../../api/status/index.ts';
import type { CronJob, Job } from '../../api/types/batch-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { fromTime, toTime } from '../../base/clock/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import { isTimeZone, parseSchedule } from '../../base/cron/index.ts';
import {
  type AnnounceInput,
  type CreateJobInput,
  type DeleteJobsInput,
  type RecordInput,
  WAKE_DELAY_MS,
  cronJobMachine,
} from '../../machines/cronjob/index.ts';
import {
  type ControllerContext,
  type Effects,
  type OwnWrites,
  controllerOf,
  controllerReference,
  createOwnWrites,
  exponentialBuckets,
  isConditionFailed,
  keysOfController,
  unchanged,
  watch,
} from '../../runtime/index.ts';
import { implement } from '../implement.ts';
import { isNamespaceEnding } from '../namespace-state.ts';
import { type CreatedJobs, type ZoneOf, createObserve } from './observe.ts';
import { cronJobManifest } from './manifest.ts';

/**
 * Creates Jobs on a schedule: https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
 *
 * A due time is reserved in the status, on the version on which it was decided, before its Job is created.
 * The Job's name is derived from the due time.
 * @param timeZones false to ignore `spec.timeZone`
 */
export const cronJobController = ({ timeZones }: { readonly timeZones: boolean }) =>
  implement(cronJobManifest, {
    machine: cronJobMachine,
    watches: ({ scheme }) => [watch(cronJobs), watch(jobs, { keys: keysOfController(scheme, cronJobs) })],
    effects: (context) => createEffects(context, timeZones ? (spec) => spec?.timeZone : () => undefined),
  });

function createEffects(context: ControllerContext, zoneOf: ZoneOf): Effects {
  const { informers, events } = context;
  const ownWrites = createOwnWrites<CronJob>();
  const created: CreatedJobs = new Map();
  const store = informers.of(cronJobs).store;
  /** Returns the CronJob on which a decision was made. Throws if the name now belongs to another CronJob. */
  const decidedOn = (key: string, uid: string): DeepReadonly<CronJob> => {
    const cronJob = ownWrites.newest(key, store.get(key));
    if (cronJob?.metadata?.uid !== uid)
      throw new Error(`cronjob ${key} has been replaced since it was observed`);
    return cronJob;
  };
  const awake = createAwake(context, store, zoneOf);
  return {
    observe: awake(createObserve(context, ownWrites, created, zoneOf)),
    recordStatus: awake(createRecordStatus(context, decidedOn, ownWrites)),
    createJob: awake(createCreateJob(context, decidedOn, created)),
    deleteJobs: awake(createDeleteJobs(context, decidedOn)),
    announce: async ({ key, uid, events: planned }: AnnounceInput) => {
      const cronJob = decidedOn(key, uid);
      for (const { type, reason, message } of planned) events.record(cronJob, type, reason, message);
    },
  };
}

interface CronJobStore {
  get(key: string): DeepReadonly<CronJob> | undefined;
}

/**
 * Wraps effects so that a failure enqueues the key at the next due time. The retry backoff alone may end after
 * that time.
 */
const createAwake =
  ({ client: { serverClock }, enqueue, scheme }: ControllerContext, store: CronJobStore, zoneOf: ZoneOf) =>
  <I extends { readonly key: string }, O>(effect: (input: I, signal: AbortSignal) => Promise<O>) =>
  async (input: I, signal: AbortSignal): Promise<O> => {
    try {
      return await effect(input, signal);
    } catch (thrown) {
      const nowMs = serverClock.now();
      const cronJob = store.get(input.key);
      const nextMs = cronJob && nextDueMs(cronJob, nowMs, zoneOf, scheme.vocabulary);
      if (nextMs !== undefined) enqueue(input.key, nextMs + WAKE_DELAY_MS - nowMs);
      throw thrown;
    }
  };

function nextDueMs(
  cronJob: DeepReadonly<CronJob>,
  nowMs: number,
  zoneOf: ZoneOf,
  vocabulary: Vocabulary,
): number | undefined {
  const { spec } = cronJob;
  const { schedule, suspend } = spec ?? {};
  const timeZone = zoneOf(spec);
  if (schedule === undefined || suspend || (timeZone !== undefined && !isTimeZone(timeZone)))
    return undefined;
  try {
    return parseSchedule({ ...scheduleSourceOf(cronJob, vocabulary), timeZone }).next(nowMs);
  } catch {
    return undefined;
  }
}

type DecidedOn = (key: string, uid: string) => DeepReadonly<CronJob>;

const createRecordStatus =
  ({ client, scheme }: ControllerContext, decidedOn: DecidedOn, ownWrites: OwnWrites<CronJob>) =>
  async ({ key, uid, resourceVersion, status }: RecordInput, signal: AbortSignal): Promise<string> => {
    const { namespace } = splitKey(key);
    const cronJob = decidedOn(key, uid);
    const known = cronJob.status?.active ?? [];
    const { kind, apiVersion } = scheme.typeMetaOf(jobs);
    const time = (name: 'lastScheduleTime' | 'lastSuccessfulTime', ms: number | undefined) =>
      ms === undefined ? {} : { [name]: toTime(ms) };
    const written = await client
      .namespaced(cronJobs, namespace)
      .subresource('status')
      .update(
        {
          // The update contains the complete object: the server ignores the spec, but webhooks receive it,
          // and servers before 1.22 record it as changed.
          ...cronJob,
          metadata: { ...cronJob.metadata, resourceVersion },
          status: {
            active: status.active.map(
              (entry) =>
                known.find((each) => each.uid === entry.uid && entry.uid !== '') ?? {
                  kind,
                  apiVersion,
                  namespace,
                  name: entry.name,
                  ...(entry.uid === '' ? {} : { uid: entry.uid }),
                  ...(entry.resourceVersion ? { resourceVersion: entry.resourceVersion } : {}),
                },
            ),
            ...time('lastScheduleTime', status.lastScheduleMs),
            ...time('lastSuccessfulTime', status.lastSuccessfulMs),
          },
        },
        { signal },
      );
    ownWrites.note(key, resourceVersion, written);
    return written.metadata?.resourceVersion ?? '';
  };

function createCreateJob(
  { client, scheme, events, metrics }: ControllerContext,
  decidedOn: DecidedOn,
  created: CreatedJobs,
) {
  // Name, help text and buckets are the same as in release 1.24.
  const skew = metrics
    .histogram(
      'cronjob_controller_cronjob_job_creation_skew_duration_seconds',
      'Time between when a cronjob is scheduled to be run, and when the corresponding job is created',
      [],
      exponentialBuckets(1, 2, 10),
    )
    .at();
  return async (
    { key, uid, resourceVersion, jobName, scheduledMs }: CreateJobInput,
    signal: AbortSignal,
  ): Promise<void> => {
    const { namespace } = splitKey(key);
    const cronJob = decidedOn(key, uid);
    const template = cronJob.spec?.jobTemplate;
    const { kind, apiVersion } = scheme.typeMetaOf(jobs);
    const job: DeepReadonly<Job> = {
      kind,
      apiVersion,
      metadata: {
        name: jobName,
        namespace,
        ...(template?.metadata?.labels ? { labels: template.metadata.labels } : {}),
        ...(template?.metadata?.annotations ? { annotations: template.metadata.annotations } : {}),
        ownerReferences: [controllerReference(client, cronJobs, cronJob)],
      },
      ...(template?.spec ? { spec: template.spec } : {}),
    };
    const owned = client.namespaced(jobs, namespace);
    // The version that reserved the due time, instead of the cached version: a later status may record that
    // this Job was created and deleted.
    const asReserved = unchanged(cronJobs, cronJob, resourceVersion);
    try {
      const { metadata } = await owned.create(job, { signal, while: [asReserved] });
      created.set(key, { owner: uid, name: jobName, uid: metadata?.uid ?? '' });
      skew.observe(((fromTime(metadata?.creationTimestamp) ?? scheduledMs) - scheduledMs) / 1_000);
      events.record(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${jobName}`);
    } catch (thrown) {
      if (isNamespaceEnding(thrown)) return;
      if (isConditionFailed(thrown)) throw thrown;
      const taken = isAlreadyExists(thrown);
      if (taken) {
        const existing = await owned.get(jobName, { signal });
        if (controllerOf(existing)?.uid === uid) return;
      }
      events.record(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${messageOf(thrown)}`);
      // If a Job of another owner has the name, a retry cannot succeed.
      if (!taken) throw thrown;
    }
  };
}

const createDeleteJobs =
  ({ client, events }: ControllerContext, decidedOn: DecidedOn) =>
  async (
    { key, uid, resourceVersion, jobs: doomed }: DeleteJobsInput,
    signal: AbortSignal,
  ): Promise<void> => {
    const { namespace } = splitKey(key);
    const cronJob = decidedOn(key, uid);
    // The policy or the limits may have changed since the decision, so that these Jobs must be kept.
    const asDecided = unchanged(cronJobs, cronJob, resourceVersion);
    for (const job of doomed) {
      const preconditions = { uid: job.uid, resourceVersion: job.resourceVersion };
      try {
        await client
          .namespaced(jobs, namespace)
          .delete(job.name, { preconditions, propagationPolicy: 'Background', signal, while: [asDecided] });
        events.record(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${job.name}`);
      } catch (thrown) {
        if (isNotFound(thrown)) continue;
        if (!isConditionFailed(thrown))
          events.record(cronJob, 'Warning', 'FailedDelete', `Deleted job: ${messageOf(thrown)}`);
        throw thrown;
      }
    }
  };
