import { assign, setup } from 'xstate';
import {
  type PassInput,
  type PassOutput,
  errorText,
  failed,
  passDelays,
  requeue,
  settled,
  unprovided,
} from '../pass/pass.ts';

/** A namespace that should have accounts; null for one that is gone or on its way out. */
export interface ObservedNamespace {
  /** Names of accounts that every namespace has and this one lacks. */
  readonly missing: readonly string[];
}

export interface CreateInput {
  readonly namespace: string;
  readonly name: string;
}

interface Context extends PassInput {
  /** Still to be created; the first is the one being created. */
  readonly missing: readonly string[];
  readonly hasCreated: boolean;
  readonly output: PassOutput;
}

const failure = { target: 'failed', actions: 'fail' } as const;
/** A cache that misses both the creation and a deletion right after it never tells: what was created is looked for. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Gives every active namespace its accounts. The key is the namespace's name.
 *
 *     observing → deciding ⇄ creating
 *                          ↘ settled
 *                          ↘ requeue (something was created)
 */
export const serviceAccountMachine = setup({
  types: { input: {} as PassInput, context: {} as Context, output: {} as PassOutput },
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
    lookAgain: assign({ output: requeue(LOOK_AGAIN_MS, 'what was created is to be seen') }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: passDelays,
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
        { guard: 'hasCreated', target: 'requeue', actions: 'lookAgain' },
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
