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
import { type Decision, type ObservedObject, type Propagation, decide } from './decide.ts';

/** Object to write, at the version it was decided on. */
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

const failure = { target: 'failed', actions: 'fail' } as const;
const target = ({ key, object }: Context): Target => ({
  key,
  uid: object?.uid ?? '',
  resourceVersion: object?.resourceVersion ?? '',
});

/**
 * Deletes objects that have lost their owners, and removes finalizers once dependents are dealt with. The key
 * names a resource and an object.
 *
 *     observing → deciding → breakingCircle → deleting → settled
 *                          ↘ releasing ↗
 *                          ↘ orphaning → removingFinalizer ↗
 *                          ↘ waking ↗
 *                          ↘ requeue
 */
export const garbageCollectorMachine = setup({
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
    isCircle: ({ context: { decision } }) =>
      decision.step === 'break circle' || (decision.step === 'delete' && decision.breakCircle),
    isToDelete: ({ context }) => context.decision.step === 'delete',
    isToRelease: ({ context }) => context.decision.step === 'release',
    isToOrphan: ({ context }) => context.decision.step === 'orphan',
    isUnblocked: ({ context }) => context.decision.step === 'unblock',
    isBlocked: ({ context }) => context.decision.step === 'wait',
    isUnseen: ({ context }) => context.decision.step === 'look again',
  },
  actions: {
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
    decideAgain: assign({
      output: ({ context: { decision } }) =>
        requeue(decision.step === 'look again' ? decision.afterMs : 0, 'the caches do not show an owner yet'),
    }),
  },
  delays: { ...reconcileDelays, orphanTimeout: 110_000 },
}).createMachine({
  id: 'garbagecollector',
  context: ({ input }) => ({ object: undefined, decision: { step: 'nothing' }, output: settled(), ...input }),
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
          actions: assign(({ event }) => ({
            object: event.output ?? undefined,
            decision: event.output ? decide(event.output) : { step: 'nothing' as const },
          })),
        },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: {
      always: [
        { guard: 'isCircle', target: 'breakingCircle' },
        { guard: 'isToDelete', target: 'deleting' },
        { guard: 'isToRelease', target: 'releasing' },
        { guard: 'isToOrphan', target: 'orphaning' },
        { guard: 'isUnblocked', target: 'removingFinalizer' },
        { guard: 'isBlocked', target: 'waking' },
        { guard: 'isUnseen', target: 'requeue', actions: 'decideAgain' },
        { target: 'settled' },
      ],
    },
    breakingCircle: {
      invoke: {
        id: 'breakCircle',
        src: 'breakCircle',
        input: ({ context }) => target(context),
        // The write changes the version to decide on; its event triggers the next reconcile.
        onDone: { target: 'settled' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deleting: {
      invoke: {
        id: 'deleteObject',
        src: 'deleteObject',
        input: ({ context }) => ({
          propagation: context.decision.step === 'delete' ? context.decision.propagation : 'Background',
          ...target(context),
        }),
        onDone: { target: 'settled' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    releasing: {
      invoke: {
        id: 'release',
        src: 'release',
        input: ({ context }) => ({
          owners: context.decision.step === 'release' ? context.decision.owners : [],
          ...target(context),
        }),
        onDone: { target: 'settled' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    orphaning: {
      invoke: {
        id: 'orphanDependents',
        src: 'orphanDependents',
        input: ({ context }) => target(context),
        onDone: { target: 'removingFinalizer' },
        onError: failure,
      },
      after: { orphanTimeout: failure },
    },
    removingFinalizer: {
      invoke: {
        id: 'removeFinalizer',
        src: 'removeFinalizer',
        input: ({ context }) => ({
          finalizer:
            context.decision.step === 'orphan' ? ('orphan' as const) : ('foregroundDeletion' as const),
          ...target(context),
        }),
        onDone: { target: 'settled' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    waking: {
      invoke: {
        id: 'wake',
        src: 'wake',
        input: ({ context }) => ({ keys: context.decision.step === 'wait' ? context.decision.keys : [] }),
        onDone: { target: 'settled' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
