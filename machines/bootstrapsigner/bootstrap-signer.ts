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

/** The ConfigMap and what its signatures should be. Signatures are public; the tokens they are keyed with never appear. */
export interface ObservedClusterInfo {
  readonly uid: string;
  readonly resourceVersion: string;
  /** False when the signatures there are the ones that should be there. */
  readonly outdated: boolean;
  /** Every `jws-kubeconfig-<token id>` that should be there. */
  readonly signatures: { readonly [key: string]: string };
  /** Milliseconds until the first of the tokens expires; undefined when none does. */
  readonly expiresInMs: number | undefined;
}

export interface SignInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly signatures: { readonly [key: string]: string };
}

interface Context extends PassInput {
  readonly info: ObservedClusterInfo | undefined;
  readonly output: PassOutput;
}

const failure = { target: 'failed', actions: 'fail' } as const;

/**
 * Keeps the signatures on the cluster-info ConfigMap in line with the tokens there are.
 *
 *     observing → deciding → signing → waiting → settled
 *                                              ↘ requeue (at the next expiry)
 */
export const bootstrapSignerMachine = setup({
  types: { input: {} as PassInput, context: {} as Context, output: {} as PassOutput },
  actors: {
    observe: unprovided<ObservedClusterInfo | null, { readonly key: string }>('observe'),
    sign: unprovided<void, SignInput>('sign'),
  },
  guards: {
    isOutdated: ({ context }) => context.info?.outdated === true,
    hasExpiry: ({ context }) => context.info?.expiresInMs !== undefined,
  },
  actions: {
    sleep: assign({
      output: ({ context }) => requeue(context.info?.expiresInMs ?? 0, 'the next token expires'),
    }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: passDelays,
}).createMachine({
  id: 'bootstrapsigner',
  context: ({ input }) => ({ ...input, info: undefined, output: settled() }),
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
    deciding: { always: [{ guard: 'isOutdated', target: 'signing' }, { target: 'waiting' }] },
    signing: {
      invoke: {
        id: 'sign',
        src: 'sign',
        input: ({ context: { key, info } }) => ({
          key,
          uid: info?.uid ?? '',
          resourceVersion: info?.resourceVersion ?? '',
          signatures: info?.signatures ?? {},
        }),
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
