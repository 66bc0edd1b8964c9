import { assign, setup } from 'xstate';
import {
  type ReconcileInput,
  type ReconcileOutput,
  failedBy,
  reconcileDelays,
  requeue,
  settled,
  unprovided,
} from '../reconcile/reconcile.ts';
import { effectStates } from '../reconcile/effect-state.ts';
import { type CronJobPlan, type ObservedCronJob, type PlannedStatus, planCronJob } from './plan.ts';

/**
 * Input of the effect `recordStatus`. Every write has the uid and the resource version on which it was
 * decided.
 */
export interface RecordInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly status: PlannedStatus;
}

/** Input of the effect that deletes finished and replaced Jobs. */
export interface DeleteJobsInput {
  readonly key: string;
  /** Uid of the CronJob; no Job is deleted for another CronJob of the same name. */
  readonly uid: string;
  /** Resource version of the CronJob on which the deletion was decided. */
  readonly resourceVersion: string;
  readonly jobs: CronJobPlan['clean'];
}

/** Input of the effect that creates the Job of one due time. */
export interface CreateJobInput {
  readonly key: string;
  /** Uid of the CronJob; no Job is created for another CronJob of the same name. */
  readonly uid: string;
  /** Resource version of the CronJob whose status reserves this due time. */
  readonly resourceVersion: string;
  readonly jobName: string;
  readonly scheduledMs: number;
}

/** Input of the effect that records events. */
export interface AnnounceInput {
  readonly key: string;
  readonly uid: string;
  readonly events: CronJobPlan['events'];
}

interface Context {
  readonly key: string;
  readonly observed: ObservedCronJob | undefined;
  readonly plan: CronJobPlan;
  /** Resource version of the CronJob after the status write of this reconcile. */
  readonly recorded?: string;
  /** Output of a failure, which ends the reconcile early. */
  readonly output?: ReconcileOutput;
}

const emptyPlan: CronJobPlan = {
  status: undefined,
  replace: [],
  start: undefined,
  clean: [],
  events: [],
  wakeAtMs: undefined,
};

/** Conditions of the steps of a reconcile. */
const guards = {
  'the status is outdated': ({ context: { plan } }: { context: Context }) => plan.status !== undefined,
  'running Jobs must make room': ({ context: { plan } }: { context: Context }) => plan.replace.length > 0,
  'a run is due': ({ context: { plan } }: { context: Context }) => plan.start !== undefined,
  'the history is too long': ({ context: { plan } }: { context: Context }) => plan.clean.length > 0,
  'events are planned': ({ context: { plan } }: { context: Context }) => plan.events.length > 0,
  'a run is scheduled': ({ context: { plan } }: { context: Context }) => plan.wakeAtMs !== undefined,
};

/** Steps of a reconcile in their order, each with its condition. */
const steps = [
  { guard: 'the status is outdated', target: 'recording' },
  { guard: 'running Jobs must make room', target: 'replacing' },
  { guard: 'a run is due', target: 'creating' },
  { guard: 'the history is too long', target: 'cleaning' },
  { guard: 'events are planned', target: 'announcing' },
  { guard: 'a run is scheduled', target: 'waiting' },
] as const satisfies readonly { readonly guard: keyof typeof guards; readonly target: string }[];
type Step = (typeof steps)[number]['target'];

/** Returns transitions to the first later step whose condition holds, or to `settled`. */
const after = (step?: Step) => [
  ...steps.slice(steps.findIndex(({ target }) => target === step) + 1),
  { target: 'settled' } as const,
];

/**
 * Returns the CronJob at the version on which the plan is based. This is the version after the status write
 * of this reconcile, which only records the plan, or else the observed version.
 */
const decidedOn = ({ key, observed, recorded }: Context) => ({
  key,
  uid: observed?.uid ?? '',
  resourceVersion: recorded ?? observed?.resourceVersion ?? '',
});

const machineSetup = setup({
  types: { context: {} as Context, input: {} as ReconcileInput, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedCronJob | null, { key: string }>('observe'),
    deleteJobs: unprovided<void, DeleteJobsInput>('deleteJobs'),
    /** Resolves to the resource version of the CronJob after the write. */
    recordStatus: unprovided<string, RecordInput>('recordStatus'),
    createJob: unprovided<void, CreateJobInput>('createJob'),
    announce: unprovided<void, AnnounceInput>('announce'),
  },
  actions: {
    noteVersion: assign({ recorded: (_, { version }: { version: string }) => version }),
    fail: assign({ output: failedBy }),
  },
  guards,
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Reconciles a CronJob: observes it, then executes the plan.
 *
 * The status that reserves a due time is written first, and only on the observed version. Running Jobs are
 * replaced and the new Job is created after that. So no due time is reserved twice, and a reconcile with
 * stale state ends no run.
 */
export const cronJobMachine = machineSetup.createMachine({
  id: 'cronjob',
  context: ({ input }) => ({ key: input.key, observed: undefined, plan: emptyPlan }),
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: {
        target: 'deciding',
        actions: assign(({ event }) => ({
          observed: event.output ?? undefined,
          plan: event.output ? planCronJob(event.output) : emptyPlan,
        })),
      },
    }),
    deciding: { always: after() },
    recording: effectState({
      id: 'record',
      src: 'recordStatus',
      input: ({ context }) => ({
        ...decidedOn(context),
        status: context.plan.status ?? {
          active: [],
          lastScheduleMs: undefined,
          lastSuccessfulMs: undefined,
        },
      }),
      onDone: after('recording').map((each) => ({
        ...each,
        actions: { type: 'noteVersion', params: ({ event }) => ({ version: event.output }) },
      })),
    }),
    replacing: effectState({
      id: 'replace',
      src: 'deleteJobs',
      input: ({ context }) => ({ ...decidedOn(context), jobs: context.plan.replace }),
      // Jobs are only replaced by a Job that this reconcile creates, so `creating` always follows.
      onDone: 'creating',
    }),
    creating: effectState({
      id: 'create',
      src: 'createJob',
      input: ({ context }) => ({
        ...decidedOn(context),
        jobName: context.plan.start?.jobName ?? '',
        scheduledMs: context.plan.start?.scheduledMs ?? 0,
      }),
      onDone: after('creating'),
    }),
    cleaning: effectState({
      id: 'clean',
      src: 'deleteJobs',
      input: ({ context }) => ({ ...decidedOn(context), jobs: context.plan.clean }),
      onDone: after('cleaning'),
    }),
    announcing: effectState({
      src: 'announce',
      input: ({ context }) => ({
        key: context.key,
        uid: context.observed?.uid ?? '',
        events: context.plan.events,
      }),
      onDone: after('announcing'),
    }),
    waiting: { type: 'final' },
    settled: { type: 'final' },
    failed: { type: 'final' },
  },
  output: ({ context: { observed, plan, output } }) => {
    if (output !== undefined) return output;
    return observed && plan.wakeAtMs !== undefined
      ? requeue(plan.wakeAtMs - observed.nowMs, 'next scheduled time')
      : settled();
  },
});
