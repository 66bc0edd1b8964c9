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

/**
 * State of the root CA ConfigMap in an active namespace; null for a namespace that does not exist or is being
 * deleted.
 */
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

const failure = { target: 'failed', actions: 'fail' } as const;
/**
 * Re-read delay after a creation. A cache that misses both the creation and a deletion right after it sends
 * no event.
 */
const READ_AGAIN_MS = 60_000;

/**
 * Publishes the root CA in every active namespace. The key is the namespace's name.
 *
 *     observing → deciding → creating → requeue (to see it)
 *                          ↘ updating → settled
 */
export const rootCaCertPublisherMachine = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedConfigMap | null, { readonly key: string }>('observe'),
    create: unprovided<void, { readonly namespace: string }>('create'),
    update: unprovided<void, UpdateInput>('update'),
  },
  guards: {
    isMissing: ({ context }) => context.found?.state === 'missing',
    isDifferent: ({ context }) => context.found?.state === 'different',
  },
  actions: {
    readAgain: assign({ output: requeue(READ_AGAIN_MS, 'what was created is to be seen') }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: reconcileDelays,
}).createMachine({
  id: 'root-ca-cert-publisher',
  context: ({ input }) => ({ found: undefined, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: {
      invoke: {
        id: 'observe',
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        onDone: { target: 'deciding', actions: assign({ found: ({ event }) => event.output ?? undefined }) },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: {
      always: [
        { guard: 'isMissing', target: 'creating' },
        { guard: 'isDifferent', target: 'updating' },
        { target: 'settled' },
      ],
    },
    creating: {
      invoke: {
        id: 'create',
        src: 'create',
        input: ({ context }) => ({ namespace: context.key }),
        onDone: { target: 'requeue', actions: 'readAgain' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    updating: {
      invoke: {
        id: 'update',
        src: 'update',
        input: ({ context: { key, found } }) => ({
          namespace: key,
          uid: found?.state === 'different' ? found.uid : '',
          resourceVersion: found?.state === 'different' ? found.resourceVersion : '',
        }),
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
