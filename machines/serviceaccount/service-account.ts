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

/** Namespace in which the default ServiceAccounts must exist. */
export interface ObservedNamespace {
  /** Names of the default ServiceAccounts that the namespace lacks. */
  readonly missing: readonly string[];
}

export interface CreateInput {
  readonly namespace: string;
  readonly name: string;
}

interface Context extends ReconcileInput {
  /** Names of ServiceAccounts to create; the first is in progress. */
  readonly missing: readonly string[];
  readonly hasCreated: boolean;
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
    observe: unprovided<ObservedNamespace | null, { readonly key: string }>('observe'),
    create: unprovided<void, CreateInput>('create'),
  },
  guards: {
    'an account is missing': ({ context }) => context.missing.length > 0,
    'an account was created': ({ context }) => context.hasCreated,
  },
  actions: {
    tryNext: assign({ missing: ({ context }) => context.missing.slice(1), hasCreated: true }),
    readAgain: assign({ output: requeue(READ_AGAIN_MS, 'check that the created object still exists') }),
    fail: assign({ output: failedBy }),
  },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Creates the default ServiceAccounts in every active namespace. The key is the namespace's name.
 *
 *     observing → deciding ⇄ creating
 *                          ↘ settled
 *                          ↘ requeue (a ServiceAccount was created)
 */
export const serviceAccountMachine = machineSetup.createMachine({
  id: 'serviceaccount',
  context: ({ input }) => ({ missing: [], hasCreated: false, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: {
        target: 'deciding',
        actions: assign({ missing: ({ event }) => event.output?.missing ?? [] }),
      },
    }),
    deciding: {
      always: [
        { guard: 'an account is missing', target: 'creating' },
        { guard: 'an account was created', target: 'requeue', actions: 'readAgain' },
        { target: 'settled' },
      ],
    },
    creating: effectState({
      src: 'create',
      input: ({ context }) => ({ namespace: context.key, name: context.missing[0] ?? '' }),
      onDone: { target: 'deciding', actions: 'tryNext' },
    }),
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
