import { assign, setup } from 'xstate';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
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
 * Desired signatures of the cluster-info ConfigMap. The signatures are as public as the ConfigMap. The tokens
 * with which they are computed never appear here.
 */
export interface ObservedClusterInfo {
  /** Observed ConfigMap with its correct signatures; null if it already has the correct signatures. */
  readonly wanted: DeepReadonly<ConfigMap> | null;
  /** Milliseconds until the first token expires; undefined if no token expires. */
  readonly expiresInMs: number | undefined;
}

export interface SignInput {
  /** ConfigMap to write, with the uid and the resource version on which the decision was made. */
  readonly wanted: DeepReadonly<ConfigMap>;
}

interface Context extends ReconcileInput {
  readonly info: ObservedClusterInfo | undefined;
  readonly output: ReconcileOutput;
}

/**
 * Delay of the next read after the API and the caches disagreed, in milliseconds. An API server that returned
 * stale state sends no event once it has caught up.
 */
const READ_AGAIN_MS = 60_000;

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedClusterInfo | null, { readonly key: string }>('observe'),
    confirm: unprovided<ObservedClusterInfo | null, { readonly key: string }>('confirm'),
    sign: unprovided<void, SignInput>('sign'),
  },
  guards: {
    'the signatures differ': ({ context }) => (context.info?.wanted ?? null) !== null,
    'a token will expire': ({ context }) => context.info?.expiresInMs !== undefined,
  },
  actions: {
    sleep: assign({
      output: ({ context }) => requeue(context.info?.expiresInMs ?? 0, 'the next token expires'),
    }),
    readAgain: assign({
      output: ({ context }) =>
        requeue(
          Math.min(READ_AGAIN_MS, context.info?.expiresInMs ?? READ_AGAIN_MS),
          'the caches and the API disagree',
        ),
    }),
    fail: assign({ output: failedBy }),
  },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Keeps the signatures on the cluster-info ConfigMap in line with the existing bootstrap tokens. The caches
 * only decide when to read the API, because a cache can lack a new token. The machine reads the API before it
 * writes or removes a signature.
 *
 *     observing → deciding → confirming → judging → signing → waiting → settled
 *                        │                       └→ requeue  ↑       └→ requeue (at the next expiry)
 *                        └── (up to date) ────────────────────┘
 */
export const bootstrapSignerMachine = machineSetup.createMachine({
  id: 'bootstrapsigner',
  context: ({ input }) => ({ info: undefined, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: { target: 'deciding', actions: assign({ info: ({ event }) => event.output ?? undefined }) },
    }),
    deciding: { always: [{ guard: 'the signatures differ', target: 'confirming' }, { target: 'waiting' }] },
    confirming: effectState({
      src: 'confirm',
      input: ({ context }) => ({ key: context.key }),
      onDone: { target: 'judging', actions: assign({ info: ({ event }) => event.output ?? undefined }) },
    }),
    judging: {
      always: [
        { guard: 'the signatures differ', target: 'signing' },
        { target: 'requeue', actions: 'readAgain' },
      ],
    },
    signing: effectState({
      src: 'sign',
      input: ({ context }) => ({ wanted: context.info?.wanted ?? {} }),
      onDone: { target: 'waiting' },
    }),
    waiting: {
      always: [{ guard: 'a token will expire', target: 'requeue', actions: 'sleep' }, { target: 'settled' }],
    },
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
