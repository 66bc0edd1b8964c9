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
import type { ObservedLegacyToken, TokenVerdict } from './judge.ts';

/** Result of an observation, judged with the controller's period. */
export type JudgedToken = {
  readonly token: Pick<ObservedLegacyToken, 'uid' | 'resourceVersion'> | null;
  readonly verdict: TokenVerdict;
};

/** Input of an effect on the Secret of a token, as decided on. */
export interface TokenInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Result of a write. `changed`: the Secret differs from what was decided on; it was used or deleted. */
export type Written = 'done' | 'changed';

interface Context extends ReconcileInput {
  readonly judged: JudgedToken;
  readonly output: ReconcileOutput;
}

const CHANGED_RETRY_MS = 1_000;
const failure = { target: 'failed', actions: 'fail' } as const;
const changed = {
  guard: ({ event }: { event: { output: Written } }) => event.output === 'changed',
  target: 'requeue',
  actions: 'observeAgain',
} as const;
const tokenOf = ({ key, judged }: Context): TokenInput => ({
  key,
  uid: judged.token?.uid ?? '',
  resourceVersion: judged.token?.resourceVersion ?? '',
});

/**
 * Removes unused generated tokens in two steps, one period apart. The token is first marked as invalid, which
 * a user who needs it can notice and undo. It is deleted a period later. The cache only decides when to look;
 * every write is decided on the API's state and time.
 *
 *     observing → deciding → confirming → judging → marking → settled (the mark enqueues the key)
 *                          ↘ requeue              ↘ deleting ↗
 */
export const legacyTokenCleanerMachine = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<JudgedToken, { readonly key: string }>('observe'),
    confirm: unprovided<JudgedToken, { readonly key: string }>('confirm'),
    mark: unprovided<Written, TokenInput>('mark'),
    deleteSecret: unprovided<Written, TokenInput>('deleteSecret'),
  },
  guards: {
    isGone: ({ context }) => context.judged.token === null,
    isKept: ({ context }) => context.judged.verdict.verdict === 'keep',
    isEarly: ({ context }) => context.judged.verdict.verdict === 'wait',
    isIdle: ({ context }) => context.judged.verdict.verdict === 'mark',
  },
  actions: {
    wait: assign({
      output: ({ context: { judged } }) =>
        requeue(judged.verdict.verdict === 'wait' ? judged.verdict.afterMs : 0, 'not unused for long enough'),
    }),
    observeAgain: assign({ output: requeue(CHANGED_RETRY_MS, 'changed since it was observed') }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: reconcileDelays,
}).createMachine({
  id: 'legacy-service-account-token-cleaner',
  context: ({ input }) => ({
    judged: { token: null, verdict: { verdict: 'keep' } },
    output: settled(),
    ...input,
  }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: {
      invoke: {
        id: 'observe',
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        onDone: { target: 'deciding', actions: assign({ judged: ({ event }) => event.output }) },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: {
      always: [
        { guard: 'isKept', target: 'settled' },
        { guard: 'isEarly', target: 'requeue', actions: 'wait' },
        { target: 'confirming' },
      ],
    },
    confirming: {
      invoke: {
        id: 'confirm',
        src: 'confirm',
        input: ({ context }) => ({ key: context.key }),
        onDone: { target: 'judging', actions: assign({ judged: ({ event }) => event.output }) },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    judging: {
      always: [
        { guard: 'isGone', target: 'settled' },
        // The cache may never show what keeps the token, or when that ends.
        { guard: 'isKept', target: 'requeue', actions: 'observeAgain' },
        { guard: 'isEarly', target: 'requeue', actions: 'wait' },
        { guard: 'isIdle', target: 'marking' },
        { target: 'deleting' },
      ],
    },
    marking: {
      invoke: {
        id: 'mark',
        src: 'mark',
        input: ({ context }) => tokenOf(context),
        // The mark is a change, which enqueues the key again.
        onDone: [changed, { target: 'settled' }],
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deleting: {
      invoke: {
        id: 'deleteSecret',
        src: 'deleteSecret',
        input: ({ context }) => tokenOf(context),
        onDone: [changed, { target: 'settled' }],
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
