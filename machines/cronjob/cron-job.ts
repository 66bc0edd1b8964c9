import { assign, setup } from 'xstate';
import {
  type ReconcileInput,
  type ReconcileOutput,
  errorText,
  failed,
  reconcileDelays,
  requeue,
  settled,
  unprovided,
} from '../pass/pass.ts';
import { type CronJobPlan, type ObservedCronJob, type PlannedStatus, planCronJob } from './plan.ts';

/**
 * Input of the effect `recordStatus`. Every write names the uid and the resource version it was decided on.
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
  /** Uid of the CronJob; nothing is deleted for a successor of the same name. */
  readonly uid: string;
  /** Resource version of the CronJob on which the deletion was decided. */
  readonly resourceVersion: string;
  readonly jobs: CronJobPlan['clean'];
}

/** Input of the effect that creates the Job of one due time. */
export interface CreateJobInput {
  readonly key: string;
  /** Uid of the CronJob; no Job is created for a successor of the same name. */
  readonly uid: string;
  /** Resource version of the CronJob that holds the claim of this due time. */
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
  /** Resource version of the CronJob after this reconcile wrote the status. */
  readonly recorded?: string;
  /** Error that ended the reconcile early; null if none did. */
  readonly error: string | null;
}

const emptyPlan: CronJobPlan = {
  status: undefined,
  replace: [],
  start: undefined,
  clean: [],
  events: [],
  wakeAtMs: undefined,
};

/** Steps of a reconcile in their order, each with its condition. */
const steps = {
  recording: ({ plan }: Context) => plan.status !== undefined,
  replacing: ({ plan }: Context) => plan.replace.length > 0,
  creating: ({ plan }: Context) => plan.start !== undefined,
  cleaning: ({ plan }: Context) => plan.clean.length > 0,
  announcing: ({ plan }: Context) => plan.events.length > 0,
  waiting: ({ plan }: Context) => plan.wakeAtMs !== undefined,
} as const;
type Step = keyof typeof steps;
const order = Object.keys(steps) as Step[];

/** Returns transitions to the first later step that has work, or to `settled`. */
const after = (step?: Step) => [
  ...order
    .slice(step === undefined ? 0 : order.indexOf(step) + 1)
    .map((target) => ({ guard: target, target }) as const),
  { target: 'settled' } as const,
];

/**
 * Returns the CronJob at the version the plan is based on: the version of this reconcile's status write,
 * which only records the plan, or the observed one.
 */
const decidedOn = ({ key, observed, recorded }: Context) => ({
  key,
  uid: observed?.uid ?? '',
  resourceVersion: recorded ?? observed?.resourceVersion ?? '',
});

const machine = setup({
  types: { context: {} as Context, input: {} as ReconcileInput, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedCronJob | null, { key: string }>('observe'),
    deleteJobs: unprovided<void, DeleteJobsInput>('deleteJobs'),
    /** Resolves with the resource version of the CronJob after the write. */
    recordStatus: unprovided<string, RecordInput>('recordStatus'),
    createJob: unprovided<void, CreateJobInput>('createJob'),
    announce: unprovided<void, AnnounceInput>('announce'),
  },
  actions: {
    noteRecorded: assign(({ event }) => ({ recorded: (event as unknown as { output: string }).output })),
    noteError: assign({ error: ({ event }) => errorText(event as { type: string; error?: unknown }) }),
  },
  guards: Object.fromEntries(
    order.map((step) => [step, ({ context }: { context: Context }) => steps[step](context)]),
  ) as {
    [S in Step]: (args: { context: Context }) => boolean;
  },
  delays: reconcileDelays,
});

const failure = { target: 'failed', actions: 'noteError' } as const;

/**
 * Reconciles a CronJob: observes it, then carries out the plan.
 *
 * The status that claims a due time is written first, and only on the observed version. Running Jobs are
 * replaced and the new Job is created after that. So no due time is claimed twice, and a reconcile with stale
 * state ends no run.
 */
export const cronJobMachine = machine.createMachine({
  id: 'cronjob',
  context: ({ input }) => ({ key: input.key, observed: undefined, plan: emptyPlan, error: null }),
  initial: 'observing',
  states: {
    observing: {
      invoke: {
        id: 'observe',
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        onDone: {
          target: 'deciding',
          actions: assign(({ event }) => ({
            observed: event.output ?? undefined,
            plan: event.output ? planCronJob(event.output) : emptyPlan,
          })),
        },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: { always: after() },
    recording: {
      invoke: {
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
        onDone: after('recording').map((each) => ({ ...each, actions: 'noteRecorded' }) as const),
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    replacing: {
      invoke: {
        id: 'replace',
        src: 'deleteJobs',
        input: ({ context }) => ({ ...decidedOn(context), jobs: context.plan.replace }),
        // Only a Job that this reconcile creates replaces others.
        onDone: 'creating',
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    creating: {
      invoke: {
        id: 'create',
        src: 'createJob',
        input: ({ context }) => ({
          ...decidedOn(context),
          jobName: context.plan.start?.jobName ?? '',
          scheduledMs: context.plan.start?.scheduledMs ?? 0,
        }),
        onDone: after('creating'),
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    cleaning: {
      invoke: {
        id: 'clean',
        src: 'deleteJobs',
        input: ({ context }) => ({ ...decidedOn(context), jobs: context.plan.clean }),
        onDone: after('cleaning'),
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    announcing: {
      invoke: {
        id: 'announce',
        src: 'announce',
        input: ({ context }) => ({
          key: context.key,
          uid: context.observed?.uid ?? '',
          events: context.plan.events,
        }),
        onDone: after('announcing'),
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    waiting: { type: 'final' },
    settled: { type: 'final' },
    failed: { type: 'final' },
  },
  output: ({ context: { observed, plan, error } }) => {
    if (error !== null) return failed(error);
    return observed && plan.wakeAtMs !== undefined
      ? requeue(plan.wakeAtMs - observed.nowMs, 'next scheduled time')
      : settled();
  },
});
