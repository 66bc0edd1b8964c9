import { assign, setup } from 'xstate';
import {
  type ReconcileInput,
  type ReconcileOutput,
  failedBy,
  requeue,
  settled,
  unprovided,
} from '../reconcile/reconcile.ts';
import { effectStates } from '../reconcile/effect-state.ts';

/** Namespace that is being deleted and still has this controller's finalizer. */
export interface EndingNamespace {
  readonly uid: string;
}

/** Result of a sweep, which deletes and counts all objects in the namespace. */
export interface Sweep {
  /** Milliseconds since the deletion of the namespace was requested. */
  readonly endsForMs: number;
  /** Group versions that could not be discovered. */
  readonly undiscovered: readonly string[];
  /** Resources whose deletion failed. */
  readonly failures: readonly string[];
  /** Number of remaining objects by resource and group, such as `{ 'configmaps.': 2 }`. */
  readonly remaining: { readonly [resource: string]: number };
  /** Number of remaining objects by finalizer. */
  readonly finalizers: { readonly [finalizer: string]: number };
}

export interface SweepInput extends EndingNamespace {
  readonly name: string;
}

export interface ReportInput extends EndingNamespace {
  readonly name: string;
  readonly sweep: Sweep;
}

export interface FinalizeInput extends EndingNamespace {
  readonly name: string;
}

/** True if no object remains and no failure may hide an object. */
const isEmpty = ({ undiscovered, failures, remaining }: Sweep): boolean =>
  undiscovered.length === 0 && failures.length === 0 && Object.keys(remaining).length === 0;

interface Context extends ReconcileInput {
  readonly namespace: EndingNamespace | undefined;
  readonly sweep: Sweep;
  readonly output: ReconcileOutput;
}

const nothingFound: Sweep = {
  endsForMs: 0,
  undiscovered: [],
  failures: [],
  remaining: {},
  finalizers: {},
};
/** Delay in milliseconds before the next sweep if objects remain that were just deleted. */
const SWEEP_SOON_MS = 2_000;
/**
 * Delay in milliseconds before the next sweep if objects wait for finalizers, as upstream. No event reports
 * the removal of the finalizers.
 */
const SWEEP_LATER_MS = 8_000;
/** Maximum delay in milliseconds after a failure, such as a group whose server is down for days. */
const SWEEP_SELDOM_MS = 300_000;

/**
 * Returns the output that requeues the namespace for the next sweep. A sweep needs dozens of requests, so a
 * persistent failure is retried ever less often.
 */
function sweepAgain({ endsForMs, undiscovered, failures, finalizers }: Sweep): ReconcileOutput {
  if (undiscovered.length + failures.length > 0) {
    const afterMs = Math.min(Math.max(endsForMs / 4, SWEEP_LATER_MS), SWEEP_SELDOM_MS);
    return requeue(Math.round(afterMs), 'content could not be discovered or deleted');
  }
  return Object.keys(finalizers).length > 0
    ? requeue(SWEEP_LATER_MS, 'content waits for finalizers')
    : requeue(SWEEP_SOON_MS, 'content remains');
}

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<EndingNamespace | null, { readonly key: string }>('observe'),
    sweep: unprovided<Sweep, SweepInput>('sweep'),
    report: unprovided<void, ReportInput>('report'),
    finalize: unprovided<void, FinalizeInput>('finalize'),
  },
  guards: {
    'the namespace is being deleted': ({ context }) => context.namespace !== undefined,
    'nothing is left to delete': ({ context }) => isEmpty(context.sweep),
  },
  actions: {
    sweepAgain: assign({ output: ({ context }) => sweepAgain(context.sweep) }),
    fail: assign({ output: failedBy }),
  },
  // A sweep sends many requests one after another, hence the longer timeout.
  delays: { effectTimeout: 30_000, sweepTimeout: 90_000 },
});
const effectState = effectStates(machineSetup);

/**
 * Deletes the content of a namespace that is being deleted, then removes the namespace's finalizer.
 *
 *     observing → deciding → sweeping → reporting → finalizing → settled
 *                                                 ↘ requeue (content remains)
 */
export const namespaceMachine = machineSetup.createMachine({
  id: 'namespace',
  context: ({ input }) => ({ namespace: undefined, sweep: nothingFound, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: {
        target: 'deciding',
        actions: assign({ namespace: ({ event }) => event.output ?? undefined }),
      },
    }),
    deciding: {
      always: [{ guard: 'the namespace is being deleted', target: 'sweeping' }, { target: 'settled' }],
    },
    sweeping: effectState(
      {
        src: 'sweep',
        input: ({ context }) => ({ name: context.key, uid: context.namespace?.uid ?? '' }),
        onDone: { target: 'reporting', actions: assign({ sweep: ({ event }) => event.output }) },
      },
      'sweepTimeout',
    ),
    reporting: effectState({
      src: 'report',
      input: ({ context: { key, namespace, sweep } }) => ({ name: key, uid: namespace?.uid ?? '', sweep }),
      onDone: [
        { guard: 'nothing is left to delete', target: 'finalizing' },
        { target: 'requeue', actions: 'sweepAgain' },
      ],
    }),
    finalizing: effectState({
      src: 'finalize',
      input: ({ context: { key, namespace } }) => ({ name: key, uid: namespace?.uid ?? '' }),
      onDone: { target: 'settled' },
    }),
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
