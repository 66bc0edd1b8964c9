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
import type { Observation, ObservedJob, PodRef } from './observed.ts';
import { type JobPlan, type PlannedEvent, type PlannedStatus, emptyPlan, planJob } from './plan.ts';

/** Job at the version on which a decision was made. */
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

/** Input of the effect that deletes pods. `counted` is true if the status already counts the pods. */
export interface RemoveInput extends PodsInput {
  readonly counted: boolean;
}

/**
 * Input of the effect that creates pods. `indexes` has one entry for each pod, null for a pod without a
 * completion index.
 */
export interface CreateInput extends JobIdentity {
  readonly indexes: readonly (number | null)[];
}

/** Input of the effect that records events. */
export interface AnnounceInput extends JobIdentity {
  readonly events: readonly PlannedEvent[];
}

/**
 * Result of a write. `changed` means that an object differs from the one on which the write was decided, so
 * the Job is observed again.
 */
export type Written = 'done' | 'changed';

interface Context extends ReconcileInput {
  readonly job: ObservedJob | undefined;
  readonly orphans: readonly PodRef[];
  readonly behind: boolean;
  readonly plan: JobPlan;
  readonly output: ReconcileOutput;
}

/** Maximum delay in milliseconds for a stale cache. Usually an event enqueues the key earlier. */
const BEHIND_MS = 1_000;

/** Conditions of the steps of a reconcile. */
const reasons = {
  'pods are held without a Job': ({ context }: { context: Context }) => context.orphans.length > 0,
  'pods without a controller match': ({ context }: { context: Context }) => context.plan.adopt.length > 0,
  'pods no longer match': ({ context }: { context: Context }) => context.plan.release.length > 0,
  'the status is outdated': ({ context }: { context: Context }) => context.plan.status !== undefined,
  'events are planned': ({ context }: { context: Context }) => context.plan.events.length > 0,
  'counted pods are still held': ({ context }: { context: Context }) => context.plan.untrack.length > 0,
  'pods are surplus': ({ context }: { context: Context }) => context.plan.remove.pods.length > 0,
  'pods are missing': ({ context }: { context: Context }) => context.plan.create.length > 0,
};

/** Steps of a reconcile in their order, each with its condition. */
const reasonFor = {
  abandoning: 'pods are held without a Job',
  adopting: 'pods without a controller match',
  releasing: 'pods no longer match',
  recording: 'the status is outdated',
  announcing: 'events are planned',
  untracking: 'counted pods are still held',
  removing: 'pods are surplus',
  creating: 'pods are missing',
} as const satisfies { readonly [step: string]: keyof typeof reasons };
type Step = keyof typeof reasonFor;
const order = Object.keys(reasonFor) as Step[];

/**
 * Steps that may follow a step. After pods are adopted or released, no other step runs, because the counts
 * are outdated.
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
  { guard: 'the cache is behind', target: 'requeue', actions: 'waitForCache' },
  { guard: 'work is due later', target: 'requeue', actions: 'waitForTime' },
  { target: 'settled' },
] as const;
/** Returns transitions to the first later step whose condition holds, or to an end. */
const after = (step: keyof typeof following) => [
  ...following[step].map((target) => ({ guard: reasonFor[target], target }) as const),
  ...ends,
];

const changed = {
  guard: {
    type: 'an object has changed',
    params: ({ event }: { event: { output: Written } }) => ({ written: event.output }),
  },
  target: 'requeue',
  actions: 'observeAgain',
} as const;
/**
 * Transition after pods were adopted or released. It requeues, because no event enqueues the key if the cache
 * already contains the change.
 */
const recount = { target: 'requeue', actions: 'recount' } as const;
const identity = ({ key, job }: Context): JobIdentity => ({
  key,
  uid: job?.uid ?? '',
  resourceVersion: job?.resourceVersion ?? '',
});

const machineSetup = setup({
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
    ...reasons,
    'the cache is behind': ({ context }: { context: Context }) => context.behind,
    'work is due later': ({ context }: { context: Context }) => context.plan.wake !== undefined,
    'the Job exists': ({ context }: { context: Context }) => context.job !== undefined,
    'an object has changed': (_: unknown, { written }: { written: Written }) => written === 'changed',
  },
  actions: {
    waitForCache: assign({ output: requeue(BEHIND_MS, 'the cache is behind') }),
    waitForTime: assign({
      output: ({ context: { plan } }) => requeue(plan.wake?.afterMs ?? 0, plan.wake?.reason ?? ''),
    }),
    observeAgain: assign({ output: requeue(BEHIND_MS, 'changed since it was observed') }),
    recount: assign({ output: requeue(BEHIND_MS, 'adopted or released pods change the counts') }),
    fail: assign({ output: failedBy }),
  },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Reconciles a Job: observes it, then executes the plan. The status with the known state of the pods is
 * written first, on the observed version. Finalizers are removed, and pods are deleted or created, after
 * that.
 *
 *     observing → deciding → abandoning → adopting → releasing → recording → announcing → untracking → removing → creating
 *                                                                              ↘ settled | requeue | failed
 */
export const jobMachine = machineSetup.createMachine({
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
    observing: effectState({
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
    }),
    deciding: { always: after('deciding') },
    abandoning: effectState({
      id: 'abandon',
      src: 'untrack',
      input: ({ context }) => ({ pods: context.orphans, ...identity(context) }),
      onDone: [changed, { ...recount, guard: 'the Job exists' }, { target: 'settled' }],
    }),
    adopting: effectState({
      src: 'adopt',
      input: ({ context }) => ({ pods: context.plan.adopt, ...identity(context) }),
      onDone: [changed, { guard: reasonFor.releasing, target: 'releasing' }, recount],
    }),
    releasing: effectState({
      src: 'release',
      input: ({ context }) => ({ pods: context.plan.release, ...identity(context) }),
      onDone: [changed, recount],
    }),
    recording: effectState({
      id: 'record',
      src: 'recordStatus',
      input: ({ context }) => ({ status: planned(context.plan), ...identity(context) }),
      onDone: [changed, ...after('recording')],
    }),
    announcing: effectState({
      src: 'announce',
      input: ({ context }) => ({ events: context.plan.events, ...identity(context) }),
      onDone: after('announcing'),
    }),
    untracking: effectState({
      src: 'untrack',
      input: ({ context }) => ({ pods: context.plan.untrack, ...identity(context) }),
      onDone: [changed, ...after('untracking')],
    }),
    removing: effectState({
      id: 'remove',
      src: 'removePods',
      input: ({ context }) => ({
        pods: context.plan.remove.pods,
        counted: context.plan.remove.counted,
        ...identity(context),
      }),
      onDone: [changed, ...after('removing')],
    }),
    creating: effectState({
      id: 'create',
      src: 'createPods',
      input: ({ context }) => ({ indexes: context.plan.create, ...identity(context) }),
      onDone: [changed, ...after('creating')],
    }),
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});

/**
 * Returns the planned status. The caller is a state that is only entered with a planned status, but XState's
 * types require an input in any case.
 */
function planned({ status }: JobPlan): PlannedStatus {
  if (status === undefined) throw new Error('no status is planned');
  return status;
}
