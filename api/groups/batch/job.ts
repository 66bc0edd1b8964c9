import { fromTime } from '../../../base/clock/index.ts';
import { humanDuration } from '../../kinds/age.ts';
import { carryOver } from '../../kinds/carry-over.ts';
import { ageColumn, column, nameColumn } from '../../kinds/columns.ts';
import type { Column, DeepReadonly, ObjectSubresource, Strategy } from '../../kinds/kind.ts';
import type { Job, JobSpec } from '../../types/batch-v1.ts';
import { validateGeneratedSelector, validateJob, validateJobUpdate } from '../../validation/workload/job.ts';
import { defaultPodSpec } from '../core/pod-defaults.ts';
import { validateCounts } from '../../validation/workload/template.ts';
import { templateWarnings } from '../pod-warnings.ts';
import { POD_SELECTOR, templateColumns } from '../template-columns.ts';

type Frozen = DeepReadonly<Job>;

/** Sets the defaults of a Job's spec, in place. The Job template of a CronJob does not get these defaults. */
function defaultJobSpec(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= 6;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
}

/**
 * Copies the labels of the pod template to a Job without labels. Both share one object, so labels that are
 * later added to the pod template are also added to the Job.
 */
function inheritLabels(job: Job): void {
  const labels = job.spec?.template?.metadata?.labels ?? {};
  if (Object.keys(labels).length === 0 || Object.keys(job.metadata?.labels ?? {}).length > 0) return;
  job.metadata = { ...job.metadata, labels };
}

/**
 * Restores labels that a status update omits. Upstream restores them too, because it sets defaults each time
 * it reads a stored object.
 */
function inheritCopiedLabels(job: Job): void {
  const own = job.metadata?.labels;
  inheritLabels(job);
  const labels = job.metadata?.labels;
  if (job.metadata && labels && labels !== own) job.metadata.labels = { ...labels };
}

/** Makes the Job select its pods by its uid, unless the selector is manual. */
function selectByUid(job: Job): void {
  const { spec, metadata } = job;
  if (spec === undefined || spec.manualSelector === true) return;
  const uid = metadata?.uid ?? '';
  const template = (spec.template ??= {});
  const labels = ((template.metadata ??= {}).labels ??= {});
  // A value that the author has chosen is retained here, and validation rejects it.
  labels['job-name'] ??= metadata?.name ?? '';
  labels['controller-uid'] ??= uid;
  const matchLabels = ((spec.selector ??= {}).matchLabels ??= {});
  matchLabels['controller-uid'] ??= uid;
}

/** Strategy of Jobs. */
export const jobStrategy: Strategy<Job> = {
  defaults(job) {
    if (job.spec === undefined) return;
    inheritLabels(job);
    defaultJobSpec(job.spec);
    if (job.spec.template?.spec) defaultPodSpec(job.spec.template.spec, { requests: false });
  },
  prepareForCreate(next) {
    selectByUid(next);
    inheritLabels(next);
    next.status = {};
  },
  prepareForUpdate: (next, previous) => carryOver(next, previous, 'status'),
  validate: validateJob,
  validatesChangeToo: true,
  validateCreate: (next) => validateGeneratedSelector(next),
  validateUpdate: (next, previous) => [
    ...validateGeneratedSelector(next),
    ...validateJobUpdate(next, previous),
  ],
  warnings: templateWarnings<Job>('spec.template', ({ spec }) => spec?.template),
};

const status: ObjectSubresource<Job> = {
  verbs: ['get', 'patch', 'update'],
  prepareForUpdate(next, previous) {
    carryOver(next, previous, 'spec');
    inheritCopiedLabels(next);
  },
  validateUpdate: ({ status: reported }) => validateCounts(reported, ['active', 'succeeded', 'failed']),
};

/** Subresources of Jobs. */
export const jobSubresources = { status };

function completionsText({ spec, status: reported }: Frozen): string {
  const succeeded = reported?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText({ status: reported }: Frozen, nowMs: number): string {
  const startMs = fromTime(reported?.startTime);
  if (startMs === undefined) return '';
  return humanDuration((fromTime(reported?.completionTime) ?? nowMs) - startMs);
}

/** Table columns of Jobs. */
export const jobColumns: readonly Column<Job>[] = [
  nameColumn,
  column<Job>('Completions', completionsText, 'The number of pods which reached phase Succeeded.'),
  column<Job>('Duration', durationText, 'Time required to complete the job.'),
  ageColumn,
  ...templateColumns<Job>((job) => job.spec, POD_SELECTOR),
];

/** Field selectors of Jobs. */
export const jobFields = { 'status.successful': (job: Frozen) => String(job.status?.succeeded ?? 0) };
