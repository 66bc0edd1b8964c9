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

/**
 * Observation from which the machine decides whether a PersistentVolumeClaim or PersistentVolume has the
 * protection finalizer.
 */
export interface ObservedProtected {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deleting: boolean;
  readonly isProtected: boolean;
  /** True if the object is in use according to the caches. */
  readonly inUse: boolean;
}

export interface ProtectInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** True if the object has the finalizer after the write. */
  readonly isProtected: boolean;
}

interface Context extends ReconcileInput {
  readonly found: ObservedProtected | undefined;
  readonly output: ReconcileOutput;
}

/**
 * Delay in milliseconds before the API is read again. A cache that misses both a user of the object and the
 * end of its use sends no event.
 */
const READ_AGAIN_MS = 60_000;

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedProtected | null, { readonly key: string }>('observe'),
    isUsed: unprovided<boolean, { readonly key: string }>('isUsed'),
    protect: unprovided<void, ProtectInput>('protect'),
  },
  guards: {
    'it is being deleted and seems unused': ({ context: { found } }) =>
      found !== undefined && found.deleting && found.isProtected && !found.inUse,
    'it is used after all': (_, { used }: { used: boolean }) => used,
    'it lacks the finalizer': ({ context: { found } }) =>
      found !== undefined && !found.deleting && !found.isProtected,
  },
  actions: {
    readAgain: assign({ output: requeue(READ_AGAIN_MS, 'used by an object that the cache lacks') }),
    fail: assign({ output: failedBy }),
  },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/** Returns the state that writes the object with or without the finalizer. */
const writing = (isProtected: boolean) =>
  effectState({
    src: 'protect',
    input: ({ context: { key, found } }) => ({
      key,
      uid: found?.uid ?? '',
      resourceVersion: found?.resourceVersion ?? '',
      isProtected,
    }),
    onDone: 'settled',
  });

/**
 * Removes the protection finalizer of an object that is being deleted once no object uses it, and adds the
 * finalizer otherwise. Because caches may be stale, the machine reads the API before it removes the
 * finalizer.
 *
 *     observing → deciding → asking → releasing → settled
 *                          ↘        ↘ requeue (the object is used after all)
 *                            protecting → settled
 */
const createProtectionMachine = (id: string) =>
  machineSetup.createMachine({
    id,
    context: ({ input }) => ({ found: undefined, output: settled(), ...input }),
    output: ({ context }) => context.output,
    initial: 'observing',
    states: {
      observing: effectState({
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        onDone: {
          target: 'deciding',
          actions: assign({ found: ({ event }) => event.output ?? undefined }),
        },
      }),
      deciding: {
        always: [
          { guard: 'it is being deleted and seems unused', target: 'asking' },
          { guard: 'it lacks the finalizer', target: 'protecting' },
          { target: 'settled' },
        ],
      },
      asking: effectState({
        src: 'isUsed',
        input: ({ context }) => ({ key: context.key }),
        onDone: [
          {
            guard: { type: 'it is used after all', params: ({ event }) => ({ used: event.output }) },
            target: 'requeue',
            actions: 'readAgain',
          },
          { target: 'releasing' },
        ],
      }),
      releasing: writing(false),
      protecting: writing(true),
      settled: { type: 'final' },
      requeue: { type: 'final' },
      failed: { type: 'final' },
    },
  });

/** Protects PersistentVolumeClaims in use; the key is `namespace/name`. */
export const pvcProtectionMachine = createProtectionMachine('pvc-protection');
/** Protects PersistentVolumes in use; the key is the name. */
export const pvProtectionMachine = createProtectionMachine('pv-protection');
