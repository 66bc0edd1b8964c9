import { assign, setup } from 'xstate';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
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
 * Desired signatures of the cluster-info ConfigMap. They are as public as the ConfigMap; the tokens that key
 * them never appear here.
 */
export interface ObservedClusterInfo {
  /** Observed ConfigMap with its correct signatures; null if the signatures are already correct. */
  readonly wanted: DeepReadonly<ConfigMap> | null;
  /** Milliseconds until the first token expires; undefined if none expires. */
  readonly expiresInMs: number | undefined;
}

export interface SignInput {
  /** ConfigMap to write, with the uid and the resource version the decision was made on. */
  readonly wanted: DeepReadonly<ConfigMap>;
}

interface Context extends ReconcileInput {
  readonly info: ObservedClusterInfo | undefined;
  readonly output: ReconcileOutput;
}

const failure = { target: 'failed', actions: 'fail' } as const;
/**
 * Re-read delay after the API and the caches disagreed. An API server that returned stale state sends no
 * event once it has caught up.
 */
const READ_AGAIN_MS = 60_000;

/**
 * Keeps the signatures on the cluster-info ConfigMap in line with the existing bootstrap tokens. The caches
 * only decide when to look, because a cache can lack a new token. Before it writes or removes a signature,
 * the machine reads the API.
 *
 *     observing → deciding → confirming → judging → signing → waiting → settled
 *                        │                       └→ requeue  ↑       └→ requeue (at the next expiry)
 *                        └── (up to date) ────────────────────┘
 */
export const bootstrapSignerMachine = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedClusterInfo | null, { readonly key: string }>('observe'),
    confirm: unprovided<ObservedClusterInfo | null, { readonly key: string }>('confirm'),
    sign: unprovided<void, SignInput>('sign'),
  },
  guards: {
    isOutdated: ({ context }) => (context.info?.wanted ?? null) !== null,
    hasExpiry: ({ context }) => context.info?.expiresInMs !== undefined,
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
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: reconcileDelays,
}).createMachine({
  id: 'bootstrapsigner',
  context: ({ input }) => ({ info: undefined, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: {
      invoke: {
        id: 'observe',
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        onDone: { target: 'deciding', actions: assign({ info: ({ event }) => event.output ?? undefined }) },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: { always: [{ guard: 'isOutdated', target: 'confirming' }, { target: 'waiting' }] },
    confirming: {
      invoke: {
        id: 'confirm',
        src: 'confirm',
        input: ({ context }) => ({ key: context.key }),
        onDone: { target: 'judging', actions: assign({ info: ({ event }) => event.output ?? undefined }) },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    judging: {
      always: [
        { guard: 'isOutdated', target: 'signing' },
        { target: 'requeue', actions: 'readAgain' },
      ],
    },
    signing: {
      invoke: {
        id: 'sign',
        src: 'sign',
        input: ({ context }) => ({ wanted: context.info?.wanted ?? {} }),
        onDone: { target: 'waiting' },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    waiting: { always: [{ guard: 'hasExpiry', target: 'requeue', actions: 'sleep' }, { target: 'settled' }] },
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
