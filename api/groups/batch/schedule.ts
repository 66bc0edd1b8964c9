import { type CronSchedule, type ScheduleSource, parseSchedule } from '../../../base/cron/index.ts';
import type { DeepReadonly } from '../../kinds/kind.ts';
import type { CronJob } from '../../types/batch-v1.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';

/** Returns the annotation of a Job that a user made from a CronJob by hand; its value is `manual`. */
export const instantiateKey = (vocabulary: Vocabulary): string => vocabulary.key('cronjob', 'instantiate');

/** Returns the key of the annotation that names the dialect of a CronJob's schedule. */
export const dialectKey = (vocabulary: Vocabulary): string => vocabulary.key('batch', 'schedule-dialect');

/** Returns the dialect that a CronJob names, whether known or not; undefined if it names none. */
export const dialectOf = (
  metadata: DeepReadonly<CronJob>['metadata'],
  vocabulary: Vocabulary,
): string | undefined => metadata?.annotations?.[dialectKey(vocabulary)];

/** Returns the properties that determine when a CronJob is due. */
export const scheduleSourceOf = (
  { metadata, spec }: Pick<DeepReadonly<CronJob>, 'metadata' | 'spec'>,
  vocabulary: Vocabulary,
): ScheduleSource => ({
  schedule: spec?.schedule ?? '',
  timeZone: spec?.timeZone,
  dialect: dialectOf(metadata, vocabulary),
  uid: metadata?.uid ?? '',
});

/**
 * Parses the schedule of a CronJob in its dialect. Throws an `Error` for an invalid schedule, an unknown
 * dialect or an unknown time zone.
 */
export const scheduleOf = (
  cronJob: Pick<DeepReadonly<CronJob>, 'metadata' | 'spec'>,
  vocabulary: Vocabulary,
): CronSchedule => parseSchedule(scheduleSourceOf(cronJob, vocabulary));
