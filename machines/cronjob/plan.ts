import { type CronSchedule, type ScheduleSource, isTimeZone, parseSchedule } from '../../base/cron/index.ts';

/** Fields of a Job owned by the CronJob, as far as decisions need them. */
export interface ObservedJob {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly finished: '' | 'Complete' | 'Failed';
  readonly deleting: boolean;
  readonly startMs: number | undefined;
  readonly completionMs: number | undefined;
}

/**
 * Entry of `status.active`. An entry without uid reserves a due time: its Job was planned and may not exist
 * yet.
 */
export interface ActiveEntry {
  readonly name: string;
  readonly uid: string;
  /** Resource version of the Job at the last list. */
  readonly resourceVersion?: string;
}

/** Input of one decision as plain JSON, all of it read at the same time. */
export interface ObservedCronJob {
  readonly nowMs: number;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  readonly createdMs: number;
  readonly schedule: string;
  readonly timeZone: string | undefined;
  /** Dialect of the schedule; undefined for the standard dialect. */
  readonly dialect?: string | undefined;
  /**
   * Time at which this schedule was first observed, in milliseconds since the epoch. Earlier due times of
   * this schedule are not run.
   */
  readonly scheduledSinceMs: number | undefined;
  readonly suspend: boolean;
  readonly concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace';
  readonly startingDeadlineSeconds: number | undefined;
  /** Number of successful Jobs to keep; undefined to keep all. */
  readonly successfulLimit: number | undefined;
  readonly failedLimit: number | undefined;
  readonly active: readonly ActiveEntry[];
  readonly lastScheduleMs: number | undefined;
  readonly lastSuccessfulMs: number | undefined;
  readonly jobs: readonly ObservedJob[];
  /** Names in `active` for which a live read of the API found no Job of this CronJob. */
  readonly missing: readonly string[];
}

export interface PlannedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface PlannedStatus {
  readonly active: readonly ActiveEntry[];
  readonly lastScheduleMs: number | undefined;
  readonly lastSuccessfulMs: number | undefined;
}

/** Actions of one reconcile, in the order of the fields. */
export interface CronJobPlan {
  /** Status to write on the observed resource version. It reserves a due time before the Job is created. */
  readonly status: PlannedStatus | undefined;
  /**
   * Running Jobs to delete before the next Job is created. They stay in `active` until they no longer exist.
   */
  readonly replace: readonly ObservedJob[];
  readonly start: { readonly jobName: string; readonly scheduledMs: number } | undefined;
  /** Finished Jobs beyond the history limits. */
  readonly clean: readonly ObservedJob[];
  readonly events: readonly PlannedEvent[];
  /**
   * Time of the next reconcile in milliseconds since the epoch; undefined if only a change can cause work.
   */
  readonly wakeAtMs: number | undefined;
}

/**
 * Delay after the due time in milliseconds. It avoids an empty reconcile by a clock that is slightly fast.
 */
export const WAKE_DELAY_MS = 100;
/** Number of missed due times above which a warning event is emitted. */
const MANY_MISSED = 100;

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

/**
 * Returns the name of the Job of one due time. The name is deterministic, so a repeated decision creates no
 * second Job.
 * @param unitMs unit of the number in the name: a minute, as upstream, or a second for a schedule that may be
 * due more than once a minute
 */
export const jobNameOf = (cronJob: string, scheduledMs: number, unitMs = MINUTE_MS): string =>
  `${cronJob}-${Math.floor(scheduledMs / unitMs)}`;

/**
 * Plans one reconcile. Pure: the same observation yields the same plan, and the state after an executed plan
 * yields an empty plan.
 */
export function planCronJob(observed: ObservedCronJob): CronJobPlan {
  const events: PlannedEvent[] = [];
  const kept = reconcileActive(observed, events);
  const next = observed.deleting ? undefined : planStart(observed, kept.active, events);
  const status: PlannedStatus = {
    active: [
      ...kept.active.filter(({ uid }) => uid !== ''),
      ...(next?.start ? [{ name: next.start.jobName, uid: '' }] : (next?.reserved ?? [])),
    ],
    lastScheduleMs: next?.handledMs ?? observed.lastScheduleMs,
    lastSuccessfulMs: kept.lastSuccessfulMs,
  };
  return {
    status: sameStatus(observed, status) ? undefined : status,
    replace: next?.replace ?? [],
    start: next?.start,
    clean: observed.deleting ? [] : planCleaning(observed),
    events,
    wakeAtMs: next?.wakeAtMs,
  };
}

/** Updates `active` and `lastSuccessfulTime` from the existing Jobs. */
function reconcileActive(
  observed: ObservedCronJob,
  events: PlannedEvent[],
): { active: ActiveEntry[]; lastSuccessfulMs: number | undefined } {
  const active: ActiveEntry[] = [];
  let { lastSuccessfulMs } = observed;
  for (const entry of observed.active) {
    const job = observed.jobs.find((each) =>
      entry.uid === '' ? each.name === entry.name : each.uid === entry.uid,
    );
    if (job?.finished) {
      events.push({
        type: 'Normal',
        reason: 'SawCompletedJob',
        message: `Saw completed job: ${job.name}, status: ${job.finished}`,
      });
    } else if (job) {
      active.push({ name: job.name, uid: job.uid, resourceVersion: job.resourceVersion });
    } else if (entry.uid === '' || !observed.missing.includes(entry.name)) {
      active.push(entry);
    } else if (!wasReplaced(observed, entry)) {
      events.push({
        type: 'Normal',
        reason: 'MissingJob',
        message: `Active job went missing: ${entry.name}`,
      });
    }
  }
  for (const job of observed.jobs) {
    const { finished, completionMs } = job;
    if (finished === 'Complete' && completionMs !== undefined)
      lastSuccessfulMs = Math.max(lastSuccessfulMs ?? completionMs, completionMs);
    const listed = observed.active.some(
      (entry) => entry.uid === job.uid || (entry.uid === '' && entry.name === job.name),
    );
    if (finished === '' && !listed && !job.deleting)
      events.push({
        type: 'Warning',
        reason: 'UnexpectedJob',
        message: `Saw a job that the controller did not create or forgot: ${job.name}`,
      });
  }
  return { active, lastSuccessfulMs };
}

/** True if the Job of the entry was deleted for a later Job under `Replace`. */
const wasReplaced = ({ concurrencyPolicy, active }: ObservedCronJob, entry: ActiveEntry): boolean =>
  concurrencyPolicy === 'Replace' && active.indexOf(entry) < active.length - 1;

interface Start {
  readonly start: CronJobPlan['start'];
  readonly replace: readonly ObservedJob[];
  readonly wakeAtMs: number | undefined;
  /** Due time for `lastScheduleTime` that this reconcile handles. */
  readonly handledMs: number | undefined;
  /** Entry that reserves a due time that has to wait. */
  readonly reserved?: readonly ActiveEntry[];
}

const waitUntil = (wakeAtMs: number | undefined): Start => ({
  start: undefined,
  replace: [],
  wakeAtMs: wakeAtMs === undefined ? undefined : wakeAtMs + WAKE_DELAY_MS,
  handledMs: undefined,
});

function planStart(
  observed: ObservedCronJob,
  active: readonly ActiveEntry[],
  events: PlannedEvent[],
): Start | undefined {
  if (observed.suspend) return { ...waitUntil(undefined), reserved: openReservations(observed) };
  const schedule = scheduleOf(observed, events);
  if (!schedule) return undefined;
  const { nowMs, concurrencyPolicy } = observed;
  const nextMs = schedule.next(nowMs);
  const dueMs = dueTime(observed, schedule, events);
  if (dueMs === undefined && nextMs === undefined)
    events.push({
      type: 'Warning',
      reason: 'InvalidSchedule',
      message: `invalid schedule: ${observed.schedule} : time difference between two schedules less than 1 second`,
    });
  if (dueMs === undefined) return waitUntil(nextMs);
  if (isTooLate(observed, dueMs)) {
    events.push({
      type: 'Warning',
      reason: 'MissSchedule',
      message: `Missed scheduled time to start a job: ${rfc1123(dueMs)}`,
    });
    return waitUntil(nextMs);
  }
  const intent = openIntent(observed);
  const jobName =
    intent?.scheduledMs === dueMs ? intent.jobName : jobNameOf(observed.name, dueMs, schedule.unitMs);
  const running = observed.jobs.filter((job) => job.finished === '');
  if (concurrencyPolicy === 'Forbid' && (running.length > 0 || active.some((entry) => entry.uid !== ''))) {
    events.push({
      type: 'Normal',
      reason: 'JobAlreadyActive',
      message: 'Not starting job because prior execution is running and concurrency policy is Forbid',
    });
    // The running Job may have ended already. The due time stays reserved, so that a stale cache does not
    // lose it.
    return {
      ...waitUntil(nextMs),
      reserved: active.filter(({ uid, name }) => uid === '' && name === jobName),
    };
  }
  if (observed.jobs.some((job) => job.name === jobName)) return { ...waitUntil(nextMs), handledMs: dueMs };
  return {
    ...waitUntil(nextMs),
    start: { jobName, scheduledMs: dueMs },
    replace: concurrencyPolicy === 'Replace' ? running.filter((job) => !job.deleting) : [],
    handledMs: dueMs,
  };
}

/** Formats a time as Go's RFC1123Z: `Mon, 02 Jan 2006 15:04:05 +0000`. */
const rfc1123 = (ms: number): string => new Date(ms).toUTCString().replace('GMT', '+0000');

function scheduleOf(observed: ObservedCronJob, events: PlannedEvent[]): CronSchedule | undefined {
  const { schedule, timeZone } = observed;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    events.push({
      type: 'Warning',
      reason: 'UnknownTimeZone',
      message: `invalid timeZone: ${JSON.stringify(timeZone)}: unknown time zone ${timeZone}`,
    });
    return undefined;
  }
  if (schedule.includes('TZ='))
    events.push({
      type: 'Warning',
      reason: 'UnsupportedSchedule',
      message: `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, use timeZone instead`,
    });
  try {
    return parseSchedule(observed);
  } catch (thrown) {
    events.push({
      type: 'Warning',
      reason: 'UnparseableSchedule',
      message: `unparseable schedule: ${JSON.stringify(schedule)} : ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    });
    return undefined;
  }
}

/**
 * Returns the latest due time that is not handled yet. A reserved due time whose Job is missing is due again.
 */
function dueTime(
  observed: ObservedCronJob,
  schedule: CronSchedule,
  events: PlannedEvent[],
): number | undefined {
  const { nowMs, createdMs, lastScheduleMs, scheduledSinceMs, startingDeadlineSeconds } = observed;
  const intendedMs = openIntent(observed)?.scheduledMs;
  // A request of an earlier process may still create the reserved Job. Under Forbid only a Job of the same
  // name may replace it.
  if (intendedMs !== undefined && observed.concurrencyPolicy === 'Forbid' && !isTooLate(observed, intendedMs))
    return intendedMs;
  let afterMs = Math.max(lastScheduleMs ?? createdMs, scheduledSinceMs ?? -Infinity);
  if (startingDeadlineSeconds !== undefined)
    afterMs = Math.max(afterMs, nowMs - startingDeadlineSeconds * 1000 - 1);
  const { atMs, count, exact } = schedule.latest(afterMs, nowMs);
  const missed = exact ? count : estimate(schedule, afterMs, nowMs);
  if (count > MANY_MISSED)
    events.push({
      type: 'Warning',
      reason: 'TooManyMissedTimes',
      message: `too many missed start times: ${missed}. Set or decrease .spec.startingDeadlineSeconds or check clock skew`,
    });
  return atMs ?? intendedMs;
}

/**
 * Estimates the number of due times from the distance of the first two, as release 1.24 does:
 * https://github.com/kubernetes/kubernetes/blob/release-1.24/pkg/controller/cronjob/utils.go
 */
function estimate(schedule: CronSchedule, afterMs: number, untilMs: number): number {
  const first = schedule.next(afterMs) ?? untilMs;
  const second = schedule.next(first) ?? untilMs;
  return Math.floor((untilMs - first) / (second - first)) + 1;
}

/**
 * Returns the last reserved due time if its Job does not exist.
 *
 * The Job's name counts in the unit of the schedule for which the due time was reserved. The schedule may
 * have changed since.
 */
function openIntent({ active, missing, lastScheduleMs, name }: ObservedCronJob): CronJobPlan['start'] {
  if (lastScheduleMs === undefined) return undefined;
  for (const unitMs of [MINUTE_MS, SECOND_MS]) {
    const jobName = jobNameOf(name, lastScheduleMs, unitMs);
    const isOpen = active.some((entry) => entry.uid === '' && entry.name === jobName);
    if (isOpen && missing.includes(jobName)) return { jobName, scheduledMs: lastScheduleMs };
  }
  return undefined;
}

/**
 * Returns the entry whose due time was reserved when the CronJob was suspended, unless its deadline has
 * passed.
 */
function openReservations(observed: ObservedCronJob): readonly ActiveEntry[] {
  const intent = openIntent(observed);
  return intent === undefined || isTooLate(observed, intent.scheduledMs)
    ? []
    : [{ name: intent.jobName, uid: '' }];
}

/**
 * True if a CronJob with its last run at `lastMs` may have had this schedule at that time. False proves that
 * the schedule has changed since.
 *
 * Also true if nothing can be proved: for an invalid schedule, and for `@every`, which has no fixed times.
 */
export function mayHaveRunAt(source: ScheduleSource, lastMs: number): boolean {
  const { schedule, timeZone } = source;
  if (schedule.startsWith('@every') || (timeZone !== undefined && !isTimeZone(timeZone))) return true;
  try {
    return parseSchedule(source).latest(lastMs - 1, lastMs).atMs === lastMs;
  } catch {
    return true;
  }
}

const isTooLate = ({ nowMs, startingDeadlineSeconds }: ObservedCronJob, scheduledMs: number): boolean =>
  startingDeadlineSeconds !== undefined && scheduledMs + startingDeadlineSeconds * 1000 < nowMs;

function planCleaning({ jobs, successfulLimit, failedLimit }: ObservedCronJob): readonly ObservedJob[] {
  const oldest = (finished: ObservedJob['finished'], limit: number | undefined): readonly ObservedJob[] => {
    if (limit === undefined) return [];
    const done = jobs
      .filter((job) => job.finished === finished && !job.deleting)
      .sort((a, b) => (a.startMs ?? Infinity) - (b.startMs ?? Infinity) || (a.name < b.name ? -1 : 1));
    return done.slice(0, Math.max(0, done.length - limit));
  };
  return [...oldest('Complete', successfulLimit), ...oldest('Failed', failedLimit)];
}

const sameStatus = (observed: ObservedCronJob, planned: PlannedStatus): boolean =>
  observed.lastScheduleMs === planned.lastScheduleMs &&
  observed.lastSuccessfulMs === planned.lastSuccessfulMs &&
  observed.active.length === planned.active.length &&
  observed.active.every(
    (entry, at) => entry.name === planned.active[at]?.name && entry.uid === planned.active[at]?.uid,
  );
