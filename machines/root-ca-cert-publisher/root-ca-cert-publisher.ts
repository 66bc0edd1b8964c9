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

/** State of the root CA ConfigMap in an active namespace. */
export type ObservedConfigMap =
  | { readonly state: 'missing' }
  | { readonly state: 'different'; readonly uid: string; readonly resourceVersion: string }
  | { readonly state: 'current' };

export interface UpdateInput {
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

interface Context extends ReconcileInput {
  readonly found: ObservedConfigMap | undefined;
  readonly output: ReconcileOutput;
}

/**
 * Delay in milliseconds before the next observation after a creation. A cache that misses both the creation
 * and a later deletion sends no event.
 */
const READ_AGAIN_MS = 60_000;

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedConfigMap | null, { readonly key: string }>('observe'),
    create: unprovided<void, { readonly namespace: string }>('create'),
    update: unprovided<void, UpdateInput>('update'),
  },
  guards: {
    'the ConfigMap is missing': ({ context }) => context.found?.state === 'missing',
    'the ConfigMap differs': ({ context }) => context.found?.state === 'different',
  },
  actions: {
    readAgain: assign({ output: requeue(READ_AGAIN_MS, 'check that the created object still exists') }),
    fail: assign({ output: failedBy }),
  },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Publishes the root CA in every active namespace. The key is the namespace's name.
 *
 *     observing → deciding → creating → requeue (to check the created object)
 *                          ↘ updating → settled
 */
export const rootCaCertPublisherMachine = machineSetup.createMachine({
  id: 'root-ca-cert-publisher',
  context: ({ input }) => ({ found: undefined, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: { target: 'deciding', actions: assign({ found: ({ event }) => event.output ?? undefined }) },
    }),
    deciding: {
      always: [
        { guard: 'the ConfigMap is missing', target: 'creating' },
        { guard: 'the ConfigMap differs', target: 'updating' },
        { target: 'settled' },
      ],
    },
    creating: effectState({
      src: 'create',
      input: ({ context }) => ({ namespace: context.key }),
      onDone: { target: 'requeue', actions: 'readAgain' },
    }),
    updating: effectState({
      src: 'update',
      input: ({ context: { key, found } }) => ({
        namespace: key,
        uid: found?.state === 'different' ? found.uid : '',
        resourceVersion: found?.state === 'different' ? found.resourceVersion : '',
      }),
      onDone: { target: 'settled' },
    }),
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
