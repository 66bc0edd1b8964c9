import { translateTimestampSince } from '../../kinds/age.ts';
import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, NONE, nameColumn } from '../../kinds/columns.ts';
import type { Column, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import type { CronJob } from '../../types/batch-v1.ts';
import { validateCronJob } from '../../validation/workload/cron-job.ts';
import { defaultPodSpec } from '../core/pod-defaults.ts';
import { templateWarnings } from '../pod-warnings.ts';
import { POD_SELECTOR, templateColumns } from '../template-columns.ts';

const podsWarnings = templateWarnings<CronJob>(
  'spec.jobTemplate.spec.template',
  ({ spec }) => spec?.jobTemplate?.spec?.template,
);

/** Strategy of CronJobs. */
export const cronJobStrategy: Strategy<CronJob> = {
  defaults({ spec }) {
    if (spec === undefined) return;
    spec.concurrencyPolicy ||= 'Allow';
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    // Only the pod spec of the Job template is defaulted here. All other fields of the template get their
    // defaults when a Job is created.
    const pod = spec.jobTemplate?.spec?.template?.spec;
    if (pod) defaultPodSpec(pod, { requests: false });
  },
  prepareForCreate(next, { enabled }) {
    next.status = {};
    if (!enabled('CronJobTimeZone')) delete next.spec?.timeZone;
  },
  prepareForUpdate(next, previous, { enabled }) {
    carryOver(next, previous, 'status');
    // If the stored object has a time zone, an update may retain or change it even if the feature is
    // disabled.
    if (!enabled('CronJobTimeZone') && previous.spec?.timeZone === undefined) delete next.spec?.timeZone;
  },
  validate: validateCronJob,
  warnings(next, previous, context) {
    const { domain } = context.vocabulary;
    const page = `https://${domain}/docs/concepts/workloads/controllers/cron-jobs/`;
    // The repeated `spec` is in upstream's message.
    const zone = `CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see ${page} for more details`;
    return [...podsWarnings(next, previous, context), ...(next.spec?.schedule?.includes('TZ') ? [zone] : [])];
  },
};

const status: ObjectSubresource<CronJob> = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'spec'),
};

/** Subresources of CronJobs. */
export const cronJobSubresources = { status };

const suspendText = (suspend: boolean | undefined): string =>
  suspend === undefined ? '<unset>' : suspend ? 'True' : 'False';

/** Table columns of CronJobs. */
export const cronJobColumns: readonly Column<CronJob>[] = [
  nameColumn,
  column<CronJob>(
    'Schedule',
    (job) => job.spec?.schedule ?? '',
    'The schedule in Cron format, see https://en.wikipedia.org/wiki/Cron.',
  ),
  {
    name: 'Suspend',
    type: 'boolean',
    description:
      'This flag tells the controller to suspend subsequent executions, it does not apply to already started executions.  Defaults to false.',
    cell: (job) => suspendText(job.spec?.suspend),
  },
  {
    name: 'Active',
    type: 'integer',
    description: 'A list of pointers to currently running jobs.',
    cell: (job) => job.status?.active?.length ?? 0,
  },
  column<CronJob>(
    'Last Schedule',
    ({ status: reported }, nowMs) =>
      reported?.lastScheduleTime === undefined
        ? NONE
        : translateTimestampSince(reported.lastScheduleTime, nowMs),
    'Information when was the last time the job was successfully scheduled.',
  ),
  ageColumn,
  ...templateColumns<CronJob>((job) => job.spec?.jobTemplate?.spec, POD_SELECTOR),
];
