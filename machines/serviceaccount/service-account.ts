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

/** Namespace that should have accounts; null if it does not exist or is being deleted. */
export interface ObservedNamespace {
  /** Names of the default accounts this namespace lacks. */
  readonly missing: readonly string[];
}

export interface CreateInput {
  readonly namespace: string;
  readonly name: string;
}

interface Context extends ReconcileInput {
  /** Accounts still to create; the first is in progress. */
  readonly missing: readonly string[];
  readonly hasCreated: boolean;
  readonly output: ReconcileOutput;
}

const failure = { target: 'failed', actions: 'fail' } as const;
/**
 * Re-read delay after a creation. A cache that misses both the creation and a deletion right after it sends
 * no event.
 */
const READ_AGAIN_MS = 60_000;

/**
 * Creates the default accounts in every active namespace. The key is the namespace's name.
 *
 *     observing → deciding ⇄ creating
 *                          ↘ settled
 *                          ↘ requeue (something was created)
 */
export const serviceAccountMachine = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedNamespace | null, { readonly key: string }>('observe'),
    create: unprovided<void, CreateInput>('create'),
  },
  guards: {
    isMissing: ({ context }) => context.missing.length > 0,
    hasCreated: ({ context }) => context.hasCreated,
  },
  actions: {
    tryNext: assign({ missing: ({ context }) => context.missing.slice(1), hasCreated: true }),
    readAgain: assign({ output: requeue(READ_AGAIN_MS, 'what was created is to be seen') }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: reconcileDelays,
}).createMachine({
  id: 'serviceaccount',
  context: ({ input }) => ({ missing: [], hasCreated: false, output: settled(), ...input }),
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
          actions: assign({ missing: ({ event }) => event.output?.missing ?? [] }),
        },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: {
      always: [
        { guard: 'isMissing', target: 'creating' },
        { guard: 'hasCreated', target: 'requeue', actions: 'readAgain' },
        { target: 'settled' },
      ],
    },
    creating: {
      invoke: {
        id: 'create',
        src: 'create',
        input: ({ context }) => ({ namespace: context.key, name: context.missing[0] ?? '' }),
        onDone: { target: 'deciding', actions: 'tryNext' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
