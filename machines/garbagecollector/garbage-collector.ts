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
import { type Decision, type ObservedObject, type Propagation, decide } from './decide.ts';

/** Object to write, at the version on which the decision was made. */
export interface Target {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Input of the effect that deletes an object whose owners no longer exist. */
export interface DeleteInput extends Target {
  readonly propagation: Propagation;
}

/** Input of the effect that removes owner references; `owners` are uids. */
export interface ReleaseInput extends Target {
  readonly owners: readonly string[];
}

/** Input of the effect that removes a deletion finalizer. */
export interface RemoveFinalizerInput extends Target {
  readonly finalizer: 'orphan' | 'foregroundDeletion';
}

/** Input of the effect that enqueues other objects. */
export interface WakeInput {
  readonly keys: readonly string[];
}

interface Context extends ReconcileInput {
  readonly object: ObservedObject | undefined;
  readonly decision: Decision;
  readonly output: ReconcileOutput;
}

const target = ({ key, object }: Context): Target => ({
  key,
  uid: object?.uid ?? '',
  resourceVersion: object?.resourceVersion ?? '',
});

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedObject | null, { readonly key: string }>('observe'),
    deleteObject: unprovided<void, DeleteInput>('deleteObject'),
    release: unprovided<void, ReleaseInput>('release'),
    breakCircle: unprovided<void, Target>('breakCircle'),
    orphanDependents: unprovided<void, Target>('orphanDependents'),
    removeFinalizer: unprovided<void, RemoveFinalizerInput>('removeFinalizer'),
    wake: unprovided<void, WakeInput>('wake'),
  },
  guards: {
    'references may form a cycle': ({ context: { decision } }) =>
      decision.step === 'break circle' || (decision.step === 'delete' && decision.breakCircle),
    'no owner is left': ({ context }) => context.decision.step === 'delete',
    'only some owners are left': ({ context }) => context.decision.step === 'release',
    'its dependents must outlive it': ({ context }) => context.decision.step === 'orphan',
    'nothing blocks its deletion': ({ context }) => context.decision.step === 'unblock',
    'dependents block its deletion': ({ context }) => context.decision.step === 'wait',
    'the cache lacks an owner': ({ context }) => context.decision.step === 'recheck',
  },
  actions: {
    fail: assign({ output: failedBy }),
    decideAgain: assign({
      output: ({ context: { decision } }) =>
        requeue(decision.step === 'recheck' ? decision.afterMs : 0, 'the caches lack an owner'),
    }),
  },
  delays: { ...reconcileDelays, orphanTimeout: 110_000 },
});
const effectState = effectStates(machineSetup);

/**
 * Deletes objects whose owners no longer exist, and removes deletion finalizers once the dependents are
 * deleted or orphaned. The key contains a resource and an object.
 *
 *     observing → deciding → breakingCircle → deleting → settled
 *                          ↘ releasing ↗
 *                          ↘ orphaning → removingFinalizer ↗
 *                          ↘ waking ↗
 *                          ↘ requeue
 */
export const garbageCollectorMachine = machineSetup.createMachine({
  id: 'garbagecollector',
  context: ({ input }) => ({ object: undefined, decision: { step: 'nothing' }, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: {
        target: 'deciding',
        actions: assign(({ event }) => ({
          object: event.output ?? undefined,
          decision: event.output ? decide(event.output) : { step: 'nothing' as const },
        })),
      },
    }),
    deciding: {
      always: [
        { guard: 'references may form a cycle', target: 'breakingCircle' },
        { guard: 'no owner is left', target: 'deleting' },
        { guard: 'only some owners are left', target: 'releasing' },
        { guard: 'its dependents must outlive it', target: 'orphaning' },
        { guard: 'nothing blocks its deletion', target: 'removingFinalizer' },
        { guard: 'dependents block its deletion', target: 'waking' },
        { guard: 'the cache lacks an owner', target: 'requeue', actions: 'decideAgain' },
        { target: 'settled' },
      ],
    },
    breakingCircle: effectState({
      src: 'breakCircle',
      input: ({ context }) => target(context),
      // The write changes the version of the object, whose event triggers the next reconcile.
      onDone: { target: 'settled' },
    }),
    deleting: effectState({
      src: 'deleteObject',
      input: ({ context }) => ({
        propagation: context.decision.step === 'delete' ? context.decision.propagation : 'Background',
        ...target(context),
      }),
      onDone: { target: 'settled' },
    }),
    releasing: effectState({
      src: 'release',
      input: ({ context }) => ({
        owners: context.decision.step === 'release' ? context.decision.owners : [],
        ...target(context),
      }),
      onDone: { target: 'settled' },
    }),
    orphaning: effectState(
      {
        src: 'orphanDependents',
        input: ({ context }) => target(context),
        onDone: { target: 'removingFinalizer' },
      },
      'orphanTimeout',
    ),
    removingFinalizer: effectState({
      src: 'removeFinalizer',
      input: ({ context }) => ({
        finalizer: context.decision.step === 'orphan' ? ('orphan' as const) : ('foregroundDeletion' as const),
        ...target(context),
      }),
      onDone: { target: 'settled' },
    }),
    waking: effectState({
      src: 'wake',
      input: ({ context }) => ({ keys: context.decision.step === 'wait' ? context.decision.keys : [] }),
      onDone: { target: 'settled' },
    }),
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
