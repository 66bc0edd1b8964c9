import { jobs } from '../../api/groups/batch-v1.ts';
import { scheduleSourceOf } from '../../api/groups/batch/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { CronJob } from '../../api/types/batch-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { fromTime } from '../../base/clock/index.ts';
import { type CronSchedule, isTimeZone, parseSchedule } from '../../base/cron/index.ts';
import { mayHaveRunAt } from '../../machines/cronjob/index.ts';
import type { ObjectLink, RuleFacts } from '../../runtime/index.ts';

type Cron = DeepReadonly<CronJob>;

/** Returns the name of a CronJob for people. */
export const cronJobName = ({ metadata }: Cron): string =>
  `CronJob ${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;

/** True if a CronJob is complete in the cache and is to run. */
export const isScheduled = ({ metadata, spec }: Cron): boolean =>
  spec !== undefined && spec.suspend !== true && metadata?.deletionTimestamp === undefined;

const sourceOf = (cronJob: Cron, vocabulary: Vocabulary) => ({
  ...scheduleSourceOf(cronJob, vocabulary),
  timeZone: isTimeZone(cronJob.spec?.timeZone ?? '') ? cronJob.spec?.timeZone : undefined,
});

/** Parsed schedules. They are cached because the list is read often and cached objects never change. */
const parsed = new WeakMap<Cron, CronSchedule | 'invalid'>();

/** Returns the schedule of a CronJob, or undefined for an invalid one. */
export function scheduleOf(cronJob: Cron, vocabulary: Vocabulary): CronSchedule | undefined {
  const known = parsed.get(cronJob) ?? parse(cronJob, vocabulary);
  parsed.set(cronJob, known);
  return known === 'invalid' ? undefined : known;
}

function parse(cronJob: Cron, vocabulary: Vocabulary): CronSchedule | 'invalid' {
  try {
    return parseSchedule(sourceOf(cronJob, vocabulary));
  } catch {
    return 'invalid';
  }
}

/** Due times that have passed without a run. */
export interface Overdue {
  /** First due time without a run. */
  readonly sinceMs: number;
  /** Last due time without a run. */
  readonly dueMs: number;
  /** Job that still runs. */
  readonly active?: ObjectLink;
}

/**
 * Returns the due times that a CronJob has not run, or undefined if there are none. Due times before `seenMs`, when it got its schedule, do
 * not count.
 */
export function overdueOf(cronJob: Cron, facts: RuleFacts, seenMs: number): Overdue | undefined {
  const { vocabulary, nowMs } = facts;
  const schedule = scheduleOf(cronJob, vocabulary);
  const createdMs = fromTime(cronJob.metadata?.creationTimestamp) ?? nowMs;
  const lastMs = fromTime(cronJob.status?.lastScheduleTime);
  // The schedule was changed while no controller ran: its earlier due times are not run.
  if (lastMs !== undefined && !mayHaveRunAt(sourceOf(cronJob, vocabulary), lastMs)) return undefined;
  const fromMs = Math.max(createdMs, seenMs, lastMs ?? 0);
  const dueMs = schedule?.latest(fromMs, nowMs).atMs;
  if (dueMs === undefined) return undefined;
  const name = cronJob.status?.active?.find((each) => each.name !== undefined)?.name;
  return {
    sinceMs: schedule?.next(fromMs) ?? dueMs,
    dueMs,
    ...(name === undefined ? {} : { active: facts.linkTo(jobs, name, cronJob.metadata?.namespace) }),
  };
}

/** Formats a due time: `2026-01-01T00:00:00Z`. */
export const dueText = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
