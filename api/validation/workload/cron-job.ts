import { SCHEDULE_DIALECTS, isTimeZone, parseSchedule } from '../../../base/cron/index.ts';
import { dialectKey, dialectOf } from '../../groups/batch/schedule.ts';
import type { DeepReadonly, StrategyContext } from '../../kinds/kind.ts';
import {
  type FieldError,
  type FieldErrors,
  child,
  invalidField,
  notSupportedField,
  requiredField,
} from '../../status/field-errors.ts';
import type { CronJob, JobTemplateSpec } from '../../types/batch-v1.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';
import { goLabelSelector } from '../go-text/structs.ts';
import { invalidLiteral } from '../go-text/values.ts';
import { validateJobTemplate } from './job.ts';
import { nonNegative } from '../numbers.ts';

/**
 * Maximum number of characters of a CronJob's name. The suffix in the names of its Jobs takes 11 of the usual
 * 63 characters.
 */
const NAME_LIMIT = 52;
const POLICIES = ['Allow', 'Forbid', 'Replace'];

/** Checks the rules of `ValidateCronJobCreate` in Kubernetes 1.24. */
export function validateCronJob(
  { metadata, spec }: DeepReadonly<CronJob>,
  { vocabulary }: Pick<StrategyContext, 'vocabulary'>,
): FieldErrors {
  const name = metadata?.name ?? '';
  const dialect = dialectOf(metadata, vocabulary);
  const policy = spec?.concurrencyPolicy ?? '';
  const errors: FieldError[] = [
    ...validateDialect(dialect, vocabulary),
    ...validateSchedule(spec?.schedule ?? '', spec?.timeZone, dialect),
    ...nonNegative('spec.startingDeadlineSeconds', spec?.startingDeadlineSeconds),
    ...validateTimeZone(spec?.timeZone, 'spec.timeZone'),
  ];
  if (policy === '') errors.push(requiredField('spec.concurrencyPolicy'));
  else if (!POLICIES.includes(policy)) {
    errors.push(notSupportedField('spec.concurrencyPolicy', policy, POLICIES));
  }
  errors.push(...validateTemplate(spec?.jobTemplate, 'spec.jobTemplate', vocabulary));
  for (const field of ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'] as const) {
    errors.push(...nonNegative(`spec.${field}`, spec?.[field]));
  }
  if (name.length > NAME_LIMIT) {
    errors.push(invalidField('metadata.name', name, `must be no more than ${NAME_LIMIT} characters`));
  }
  return errors;
}

/**
 * Rejects an unknown schedule dialect. A missing annotation stands for the standard dialect, so that objects
 * of upstream stay valid.
 */
function validateDialect(dialect: string | undefined, vocabulary: Vocabulary): FieldErrors {
  if (dialect === undefined || isDialect(dialect)) return [];
  const field = `metadata.annotations[${dialectKey(vocabulary)}]`;
  return [notSupportedField(field, dialect, SCHEDULE_DIALECTS)];
}

const isDialect = (text: string): boolean => SCHEDULE_DIALECTS.some((each) => each === text);

/**
 * Stand-in for the uid, which a new object does not have yet. The validity of a schedule does not depend on
 * the value that `H` takes from the uid.
 */
const PLACEHOLDER_UID = 'placeholder';

function validateSchedule(
  schedule: string,
  timeZone: string | undefined,
  dialect: string | undefined,
): FieldErrors {
  const field = 'spec.schedule';
  if (schedule === '') return [requiredField(field)];
  const errors: FieldError[] = [];
  // A schedule with an unknown dialect is parsed in the standard dialect, so that all errors are reported at
  // once.
  const known = dialect !== undefined && isDialect(dialect) ? dialect : undefined;
  try {
    parseSchedule({ schedule, timeZone: 'UTC', dialect: known, uid: PLACEHOLDER_UID });
  } catch (thrown) {
    errors.push(invalidField(field, schedule, thrown instanceof Error ? thrown.message : String(thrown)));
  }
  if (schedule.includes('TZ') && timeZone !== undefined) {
    const detail = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';
    errors.push(invalidField(field, schedule, detail));
  }
  return errors;
}

function validateTimeZone(timeZone: string | undefined, field: string): FieldErrors {
  if (timeZone === undefined) return [];
  if (timeZone === '') return [invalidField(field, '', 'timeZone must be nil or non-empty string')];
  if (timeZone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [invalidField(field, timeZone, detail)];
  }
  return isTimeZone(timeZone) ? [] : [invalidField(field, timeZone, `unknown time zone ${timeZone}`)];
}

function validateTemplate(
  template: DeepReadonly<JobTemplateSpec> | undefined,
  path: string,
  vocabulary: Vocabulary,
): FieldErrors {
  const spec = template?.spec;
  const errors: FieldError[] = [...validateJobTemplate(spec, child(path, 'spec'), vocabulary)];
  if (spec?.selector !== undefined) {
    const detail = '`selector` will be auto-generated';
    errors.push(invalidLiteral(child(path, 'spec', 'selector'), goLabelSelector(spec.selector), detail));
  }
  if (spec?.manualSelector === true) {
    errors.push(notSupportedField(child(path, 'spec', 'manualSelector'), true, ['nil', 'false']));
  }
  return errors;
}
