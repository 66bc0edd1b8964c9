import { assign, setup } from 'xstate';
import type { DeepReadonly } from '../../api/kinds/kind.ts';
import type { ConfigMap } from '../../api/types/core-v1.ts';
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

/** What the signatures should be. They are public, as all of the ConfigMap is; the tokens they are keyed with never appear. */
export interface ObservedClusterInfo {
  /** The ConfigMap as seen, with the signatures that it should have; null when it has them. */
  readonly wanted: DeepReadonly<ConfigMap> | null;
  /** Milliseconds until the first of the tokens expires; undefined when none does. */
  readonly expiresInMs: number | undefined;
}

export interface SignInput {
  /** With the uid and the version it was decided on. */
  readonly wanted: DeepReadonly<ConfigMap>;
}

interface Context extends PassInput {
  readonly info: ObservedClusterInfo | undefined;
  readonly output: PassOutput;
}

const failure = { target: 'failed', actions: 'fail' } as const;
/** A server that answers with what was before its last change tells nobody when it has caught up: it is asked again. */
const LOOK_AGAIN_MS = 60_000;

/**
 * Keeps the signatures on the cluster-info ConfigMap in line with the tokens there are. What the caches say is only when to
 * look: a token that a cache does not know may be a new one. Before it signs, or strips a signature, it asks the API.
 *
 *     observing → deciding → confirming → judging → signing → waiting → settled
 *                        │                       └→ requeue  ↑       └→ requeue (at the next expiry)
 *                        └── (as it should be) ───────────────┘
 */
export const bootstrapSignerMachine = setup({
  types: { input: {} as PassInput, context: {} as Context, output: {} as PassOutput },
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
    lookAgain: assign({
      output: ({ context }) =>
        requeue(
          Math.min(LOOK_AGAIN_MS, context.info?.expiresInMs ?? LOOK_AGAIN_MS),
          'the caches and the API disagree',
        ),
    }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: passDelays,
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
        { target: 'requeue', actions: 'lookAgain' },
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
