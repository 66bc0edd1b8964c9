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
import type { Observation, ObservedJob, PodRef } from './observed.ts';
import { type JobPlan, type PlannedEvent, type PlannedStatus, emptyPlan, planJob } from './plan.ts';

/** Job at the version a decision was made on. */
export interface JobIdentity {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Input of an effect on pods of a Job. */
export interface PodsInput extends JobIdentity {
  readonly pods: readonly PodRef[];
}

/** Input of the effect that writes the status of a Job. */
export interface RecordInput extends JobIdentity {
  readonly status: PlannedStatus;
}

/** Input of the effect that deletes pods; `counted` is true if the status counts them already. */
export interface RemoveInput extends PodsInput {
  readonly counted: boolean;
}

/** Input of the effect that creates pods: one for each entry, null for a pod without a completion index. */
export interface CreateInput extends JobIdentity {
  readonly indexes: readonly (number | null)[];
}

/** Input of the effect that records events. */
export interface AnnounceInput extends JobIdentity {
  readonly events: readonly PlannedEvent[];
}

/**
 * Result of a write. `changed`: an object differs from what was decided on, so everything is observed again.
 */
export type Written = 'done' | 'changed';

interface Context extends ReconcileInput {
  readonly job: ObservedJob | undefined;
  readonly orphans: readonly PodRef[];
  readonly behind: boolean;
  readonly plan: JobPlan;
  readonly output: ReconcileOutput;
}

/** Longest wait for a stale cache. Usually an event enqueues the key before. */
const BEHIND_MS = 1_000;

/** Steps of a reconcile in their order, each with its condition. */
const steps = {
  abandoning: ({ orphans }: Context) => orphans.length > 0,
  adopting: ({ plan }: Context) => plan.adopt.length > 0,
  releasing: ({ plan }: Context) => plan.release.length > 0,
  recording: ({ plan }: Context) => plan.status !== undefined,
  announcing: ({ plan }: Context) => plan.events.length > 0,
  untracking: ({ plan }: Context) => plan.untrack.length > 0,
  removing: ({ plan }: Context) => plan.remove.pods.length > 0,
  creating: ({ plan }: Context) => plan.create.length > 0,
} as const;
type Step = keyof typeof steps;
const order = Object.keys(steps) as Step[];

/**
 * Steps that may follow a step. If pods are adopted or released, no other step runs, because these steps
 * change what is counted.
 */
const following = {
  deciding: order.filter((step) => step !== 'announcing'),
  recording: ['announcing', 'untracking', 'removing', 'creating'],
  announcing: ['untracking', 'removing', 'creating'],
  untracking: ['removing', 'creating'],
  removing: [],
  creating: [],
} satisfies { readonly [step: string]: readonly Step[] };

const ends = [
  { guard: 'isBehind', target: 'requeue', actions: 'waitForCache' },
  { guard: 'hasDeadline', target: 'requeue', actions: 'waitForTime' },
  { target: 'settled' },
] as const;
/** Returns transitions to the first later step that has work, or to an end. */
const after = (step: keyof typeof following) => [
  ...following[step].map((target) => ({ guard: target, target }) as const),
  ...ends,
];

const changed = {
  guard: ({ event }: { event: { output: Written } }) => event.output === 'changed',
  target: 'requeue',
  actions: 'observeAgain',
} as const;
/** Pods were adopted or released. If the cache has already shown the change, no event enqueues the key. */
const recount = { target: 'requeue', actions: 'recount' } as const;
const failure = { target: 'failed', actions: 'fail' } as const;

const identity = ({ key, job }: Context): JobIdentity => ({
  key,
  uid: job?.uid ?? '',
  resourceVersion: job?.resourceVersion ?? '',
});

const machine = setup({
  types: { context: {} as Context, input: {} as ReconcileInput, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<Observation, { readonly key: string }>('observe'),
    adopt: unprovided<Written, PodsInput>('adopt'),
    release: unprovided<Written, PodsInput>('release'),
    recordStatus: unprovided<Written, RecordInput>('recordStatus'),
    announce: unprovided<Written, AnnounceInput>('announce'),
    untrack: unprovided<Written, PodsInput>('untrack'),
    removePods: unprovided<Written, RemoveInput>('removePods'),
    createPods: unprovided<Written, CreateInput>('createPods'),
  },
  guards: {
    ...(Object.fromEntries(
      order.map((step) => [step, ({ context }: { context: Context }) => steps[step](context)]),
    ) as { [S in Step]: (args: { context: Context }) => boolean }),
    isBehind: ({ context }) => context.behind,
    hasDeadline: ({ context }) => context.plan.wake !== undefined,
    hasJob: ({ context }) => context.job !== undefined,
  },
  actions: {
    waitForCache: assign({ output: requeue(BEHIND_MS, 'the cache is behind') }),
    waitForTime: assign({
      output: ({ context: { plan } }) => requeue(plan.wake?.afterMs ?? 0, plan.wake?.reason ?? ''),
    }),
    observeAgain: assign({ output: requeue(BEHIND_MS, 'changed since it was observed') }),
    recount: assign({ output: requeue(BEHIND_MS, 'other pods are to be counted') }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: reconcileDelays,
});

/**
 * Reconciles a Job: observes it, then carries out the plan. What is known about pods is written to the status
 * first, on the observed version. Finalizers are removed, and pods deleted or created, after that.
 *
 *     observing → deciding → abandoning → adopting → releasing → recording → announcing → untracking → removing → creating
 *                                                                              ↘ settled | requeue | failed
 */
export const jobMachine = machine.createMachine({
  id: 'job',
  context: ({ input }) => ({
    job: undefined,
    orphans: [],
    behind: false,
    plan: emptyPlan,
    output: settled(),
    ...input,
  }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: {
      invoke: {
        id: 'observe',
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        onDone: {
          target: 'deciding',
          actions: assign(({ event: { output } }) => ({
            job: output.state === 'job' ? output.job : undefined,
            plan: output.state === 'job' ? planJob(output.job) : emptyPlan,
            orphans: output.state === 'behind' ? [] : output.orphans,
            behind: output.state === 'behind',
          })),
        },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: { always: after('deciding') },
    abandoning: {
      invoke: {
        id: 'abandon',
        src: 'untrack',
        input: ({ context }) => ({ pods: context.orphans, ...identity(context) }),
        onDone: [changed, { ...recount, guard: 'hasJob' }, { target: 'settled' }],
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    adopting: {
      invoke: {
        id: 'adopt',
        src: 'adopt',
        input: ({ context }) => ({ pods: context.plan.adopt, ...identity(context) }),
        onDone: [changed, { guard: 'releasing', target: 'releasing' }, recount],
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    releasing: {
      invoke: {
        id: 'release',
        src: 'release',
        input: ({ context }) => ({ pods: context.plan.release, ...identity(context) }),
        onDone: [changed, recount],
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    recording: {
      invoke: {
        id: 'record',
        src: 'recordStatus',
        input: ({ context }) => ({ status: planned(context.plan), ...identity(context) }),
        onDone: [changed, ...after('recording')],
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    announcing: {
      invoke: {
        id: 'announce',
        src: 'announce',
        input: ({ context }) => ({ events: context.plan.events, ...identity(context) }),
        onDone: after('announcing'),
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    untracking: {
      invoke: {
        id: 'untrack',
        src: 'untrack',
        input: ({ context }) => ({ pods: context.plan.untrack, ...identity(context) }),
        onDone: [changed, ...after('untracking')],
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    removing: {
      invoke: {
        id: 'remove',
        src: 'removePods',
        input: ({ context }) => ({
          pods: context.plan.remove.pods,
          counted: context.plan.remove.counted,
          ...identity(context),
        }),
        onDone: [changed, ...after('removing')],
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    creating: {
      invoke: {
        id: 'create',
        src: 'createPods',
        input: ({ context }) => ({ indexes: context.plan.create, ...identity(context) }),
        onDone: [changed, ...after('creating')],
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});

/**
 * Returns the planned status. Only called in states where one is planned, because xstate requires an input in
 * any case.
 */
function planned({ status }: JobPlan): PlannedStatus {
  if (status === undefined) throw new Error('no status is planned');
  return status;
}
