import { dialectKey } from '../../api/groups/batch/index.ts';
import { ENDS } from '../world/pod-ends.ts';
import type { Action } from '../world/user.ts';
import { ABSENT, type FieldValues, MOST, fieldsOf } from './fields.ts';
import { FOREIGN, HELD_MS, lifeOf } from './life.ts';
import {
  HOUR,
  MINUTE,
  type Making,
  type Part,
  SECOND,
  SHORT_MS,
  TEAM,
  oneOf,
  patch,
  sometime,
} from './parts.ts';
import { extendedSchedulesAbout, schedulesAbout } from './schedules.ts';
import { type MoveName, type Subject, usualMoves } from './subject.ts';

export const CRON_JOBS = 'batch/cronjobs';
export const JOBS = 'batch/jobs';
/** Number of missed runs of some CronJobs. It exceeds upstream's limit of 100. */
export const MANY_MISSED = 120;

const CONTAINERS = [{ name: 'c', image: 'i' }];
const POD_SPEC = { restartPolicy: 'Never', containers: CONTAINERS };

/** Ends of consecutive pods, in the format of the annotation `ENDS`. */
const POD_ENDS = [
  ABSENT,
  ABSENT,
  ABSENT,
  'fails',
  'fails:1',
  'fails fails succeeds',
  'fails:137 fails:1 succeeds:0',
  'succeeds:0 fails:2',
  'vanishes succeeds',
  'fails vanishes fails:1 succeeds',
];

const RUN_ANNOTATION = 'metadata.annotations.chaos/runs';
const END_ANNOTATION = `metadata.annotations.${ENDS}`;

/** Returns a pod template. */
export const podTemplate = (seconds: number, ends?: string) => ({
  metadata: {
    annotations: { 'chaos/runs': String(seconds * SECOND), ...(ends !== undefined && { [ENDS]: ends }) },
  },
  spec: POD_SPEC,
});

/** Returns the values of the fields of a Job's spec. `at` is the path of the spec. */
const jobFields = (resource: string, at: string, seconds: readonly number[]): FieldValues => {
  const given = {
    parallelism: [ABSENT, ABSENT, 1, 1, 2, 3, 0],
    completions: [ABSENT, ABSENT, 1, 2, 4],
    completionMode: [ABSENT, ABSENT, ABSENT, 'NonIndexed', 'Indexed'],
    activeDeadlineSeconds: [ABSENT, ABSENT, ABSENT, ABSENT, 1, 60, MOST],
    backoffLimit: [ABSENT, 0, 0, 1, 2, MOST],
    ttlSecondsAfterFinished: [ABSENT, ABSENT, ABSENT, 0, 30, 600, MOST],
    suspend: [ABSENT, ABSENT, ABSENT, false, true],
    // A manual selector requires a selector, which no Job here has.
    manualSelector: [],
  };
  return fieldsOf(resource, at, {
    ...Object.fromEntries(Object.entries(given).map(([name, values]) => [`${at}.${name}`, values])),
    [`${at}.template.${RUN_ANNOTATION}`]: seconds.map((each) => String(each * SECOND)),
    [`${at}.template.${END_ANNOTATION}`]: POD_ENDS,
  });
};

/** Fields that users may change in an existing Job. */
const JOB_EDITS: FieldValues = {
  'spec.suspend': [true, false],
  'spec.parallelism': [0, 1, 2, 3],
  'spec.backoffLimit': [0, 1, 2, 6],
  'spec.activeDeadlineSeconds': [ABSENT, 1, 60],
  'spec.ttlSecondsAfterFinished': [ABSENT, 0, 60, 3_600],
  'metadata.labels.team': ['a', 'b'],
  // Without its annotation, a Job is counted as before release 1.23.
  'metadata.annotations': [ABSENT],
};

const JOB_MOVES: readonly MoveName[] = [...usualMoves, 'undo', 'delete'];

/** Returns a Job without an owner. */
export const jobNamed = (_making: Making, name: string): Subject => ({
  resource: JOBS,
  namespace: TEAM,
  name,
  base: { spec: { template: podTemplate(20) } },
  fields: jobFields(JOBS, 'spec', [2, 20, 90]),
  edits: JOB_EDITS,
  oftenEdited: ['spec.suspend', 'spec.suspend'],
  moves: JOB_MOVES,
});

/** Returns actions on Jobs of all forms without an owner. */
export const jobs: Part = (making) =>
  ['single', 'many'].flatMap((name) => lifeOf(making, jobNamed(making, name)));

const scheduleOf = (everyMinutes: number): string => `*/${everyMinutes} * * * *`;

/** Returns the values of the fields of a CronJob's spec. The schedule is drawn from `schedules`. */
const cronJobFields = (schedules: readonly string[]): FieldValues =>
  fieldsOf(CRON_JOBS, 'spec', {
    'spec.timeZone': [ABSENT, ABSENT, ABSENT, ABSENT, 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'],
    'spec.startingDeadlineSeconds': [ABSENT, ABSENT, ABSENT, ABSENT, 0, 10, 100, 600, MOST],
    'spec.suspend': [ABSENT, ABSENT, ABSENT, false, false, true],
    'spec.successfulJobsHistoryLimit': [ABSENT, ABSENT, 0, 1, 2],
    'spec.failedJobsHistoryLimit': [ABSENT, ABSENT, 0, 1],
    'spec.schedule': schedules,
  });

const TEMPLATE = 'spec.jobTemplate.spec';

/**
 * Fields of the template for the Jobs of a CronJob. Some Jobs last longer than two intervals of the schedule.
 */
const TEMPLATE_FIELDS: FieldValues = {
  [`${TEMPLATE}.template.${RUN_ANNOTATION}`]: [2, 2, 60, 400, 1_500].map((each) => String(each * SECOND)),
  [`${TEMPLATE}.template.${END_ANNOTATION}`]: [ABSENT, ABSENT, ABSENT, 'fails', 'fails:1', 'vanishes fails'],
  [`${TEMPLATE}.backoffLimit`]: [0, 0, 0, 1],
  [`${TEMPLATE}.suspend`]: [ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, true],
  [`${TEMPLATE}.ttlSecondsAfterFinished`]: [ABSENT, ABSENT, ABSENT, ABSENT, 0, 30],
};

/** Schedule that is never due. */
const NEVER = '0 0 31 2 *';

/** Returns as many schedules with other fields than the minute, so that half of all schedules have them. */
const rareOnes = ({ random, startMs }: Making, count: number): readonly string[] => {
  const all = schedulesAbout(startMs);
  return Array.from({ length: count }, () => oneOf(random, all));
};

/** Returns a CronJob whose interval fits the run; a run of a few minutes needs the shortest interval. */
export function cronJobNamed(making: Making, name: string): Subject {
  const { startMs, endsMs } = making;
  const isShort = endsMs < SHORT_MS;
  const everyMs = (isShort ? 1 : 10) * MINUTE;
  // A shorter interval in a long run would produce no new states.
  const usual = isShort ? [scheduleOf(1)] : [10, 15, 20].map(scheduleOf);
  const schedules = isShort ? usual : [...usual, ...rareOnes(making, usual.length)];
  const edited = isShort ? schedules : [scheduleOf(6), scheduleOf(12), ...schedules];
  const fields = cronJobFields(schedules);
  return {
    resource: CRON_JOBS,
    namespace: TEAM,
    name,
    base: { spec: { jobTemplate: { spec: { template: podTemplate(20), backoffLimit: 0 } } } },
    fields: { ...fields, ...TEMPLATE_FIELDS },
    edits: {
      ...fields,
      'spec.schedule': [...edited, NEVER],
      'spec.suspend': [true, false],
      'spec.jobTemplate.metadata.labels.image': ['a', 'b'],
    },
    oftenEdited: ['spec.suspend', 'spec.suspend', 'spec.suspend', 'spec.schedule', 'spec.concurrencyPolicy'],
    moves: [...usualMoves, 'edit', 'undo', 'undo', 'hold', 'hold', 'hold', 'hold'],
    moveCounts: [0, 1, 1, 2, 3],
    nextDueMs: (afterMs) => Math.ceil((startMs + afterMs) / everyMs) * everyMs - startMs,
  };
}

/** Returns the CronJob with a schedule of the extended dialect, which its annotation names. */
function withExtendedSchedule({ random, startMs, vocabulary }: Making, cronJob: Subject): Subject {
  const schedules = extendedSchedulesAbout(startMs);
  const drawn = Array.from({ length: 3 }, () => oneOf(random, schedules));
  const annotations = { [dialectKey(vocabulary)]: 'extended' };
  return {
    ...cronJob,
    base: { ...cronJob.base, metadata: { annotations } },
    fields: { ...cronJob.fields, 'spec.schedule': drawn },
    edits: { ...cronJob.edits, 'spec.schedule': [...drawn, NEVER] },
  };
}

/** Returns the Job of a CronJob's run, which users delete, orphan or change while it runs. */
const runNamed = (name: string): Subject => ({
  resource: JOBS,
  namespace: TEAM,
  name,
  isMaintained: true,
  edits: JOB_EDITS,
  otherOwners: [[]],
  moves: ['delete', 'delete', 'orphan', 'edit', 'touch'],
  moveCounts: [1, 1, 2],
});

/** Milliseconds after its due time at which users change the Job of a run. */
const CHANGED_AFTER_MS = [5, 500, 3_000, 30_000, 2 * MINUTE];

/** Draws what users do to the Job of one run; it may be held by a finalizer after its deletion. */
function changedRun(making: Making, cronJob: Subject): readonly Action[] {
  const { draw, startMs } = making;
  if (!draw.once('changed run', 2)) return [];
  const dueMs = cronJob.nextDueMs?.(sometime(making)) ?? 0;
  const run = runNamed(`${cronJob.name}-${Math.round((startMs + dueMs) / MINUTE)}`);
  const bornMs = dueMs + draw.one('changed run after', CHANGED_AFTER_MS);
  const held = draw.once('held run', 3)
    ? [patch(bornMs, JOBS, TEAM, run.name, { metadata: { finalizers: [FOREIGN] } })]
    : [];
  const actions = lifeOf(making, run, { bornMs, held: false });
  const lastMs = Math.max(bornMs, ...actions.map(({ atMs }) => atMs));
  return [
    ...held,
    ...actions,
    ...held.map((action) => ({
      ...patch(lastMs + draw.one('held run for', HELD_MS), JOBS, TEAM, action.name, {}),
      withoutFinalizer: FOREIGN,
    })),
  ];
}

/** Part: CronJobs of every policy, edited about their due times. */
export const cronJobs: Part = (making) => {
  const { draw, random, endsMs } = making;
  const isShort = endsMs < SHORT_MS;
  const count = draw.one('cronjobs', [1, 2]);
  return Array.from({ length: count }, (_, i) => {
    const born = draw.one(`${CRON_JOBS} born`, ['soon', 'soon', 'soon', 'soon', 'soon', 'long ago']);
    const bornMs =
      born === 'long ago'
        ? -MANY_MISSED * (isShort ? MINUTE : HOUR / 4)
        : random.int(isShort ? 1 : 10) * MINUTE + random.int(isShort ? 10 : 60) * SECOND;
    const named = cronJobNamed(making, `tick-${i}`);
    const isExtended = !isShort && draw.once('extended schedule', 6);
    const cronJob = isExtended ? withExtendedSchedule(making, named) : named;
    return [...lifeOf(making, cronJob, { bornMs }), ...changedRun(making, cronJob)];
  }).flat();
};
