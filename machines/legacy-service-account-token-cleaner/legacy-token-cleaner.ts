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
import type { ObservedLegacyToken, TokenVerdict } from './judge.ts';

/** Observation of a token and the decision for the controller's period. */
export type JudgedToken = {
  readonly token: Pick<ObservedLegacyToken, 'uid' | 'resourceVersion'> | null;
  readonly verdict: TokenVerdict;
};

/** Input of an effect on the Secret of a token, at the version on which the decision was made. */
export interface TokenInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Result of a write. `changed` means that the Secret was used or deleted since the decision. */
export type Written = 'done' | 'changed';

interface Context extends ReconcileInput {
  readonly judged: JudgedToken;
  readonly output: ReconcileOutput;
}

const CHANGED_RETRY_MS = 1_000;
const changed = {
  guard: {
    type: 'the Secret has changed',
    params: ({ event }: { event: { output: Written } }) => ({ written: event.output }),
  },
  target: 'requeue',
  actions: 'observeAgain',
} as const;
const tokenOf = ({ key, judged }: Context): TokenInput => ({
  key,
  uid: judged.token?.uid ?? '',
  resourceVersion: judged.token?.resourceVersion ?? '',
});

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<JudgedToken, { readonly key: string }>('observe'),
    confirm: unprovided<JudgedToken, { readonly key: string }>('confirm'),
    mark: unprovided<Written, TokenInput>('mark'),
    deleteSecret: unprovided<Written, TokenInput>('deleteSecret'),
  },
  guards: {
    'the token does not exist': ({ context }) => context.judged.token === null,
    'the token is needed': ({ context }) => context.judged.verdict.verdict === 'keep',
    'the period is not over': ({ context }) => context.judged.verdict.verdict === 'wait',
    'the token is unused but not marked': ({ context }) => context.judged.verdict.verdict === 'mark',
    'the Secret has changed': (_, { written }: { written: Written }) => written === 'changed',
  },
  actions: {
    wait: assign({
      output: ({ context: { judged } }) =>
        requeue(
          judged.verdict.verdict === 'wait' ? judged.verdict.afterMs : 0,
          'the token was used too recently',
        ),
    }),
    observeAgain: assign({ output: requeue(CHANGED_RETRY_MS, 'changed since it was observed') }),
    fail: assign({ output: failedBy }),
  },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Removes unused generated tokens in two steps, one period apart. The token is first marked as invalid, which
 * a user who needs it can notice and undo. The token is deleted a period later. The cache only decides when
 * to read the API; every write is decided on the API's state and time.
 *
 *     observing → deciding → confirming → judging → marking → settled (the mark enqueues the key)
 *                          ↘ requeue              ↘ deleting ↗
 */
export const legacyTokenCleanerMachine = machineSetup.createMachine({
  id: 'legacy-service-account-token-cleaner',
  context: ({ input }) => ({
    judged: { token: null, verdict: { verdict: 'keep' } },
    output: settled(),
    ...input,
  }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: { target: 'deciding', actions: assign({ judged: ({ event }) => event.output }) },
    }),
    deciding: {
      always: [
        { guard: 'the token is needed', target: 'settled' },
        { guard: 'the period is not over', target: 'requeue', actions: 'wait' },
        { target: 'confirming' },
      ],
    },
    confirming: effectState({
      src: 'confirm',
      input: ({ context }) => ({ key: context.key }),
      onDone: { target: 'judging', actions: assign({ judged: ({ event }) => event.output }) },
    }),
    judging: {
      always: [
        { guard: 'the token does not exist', target: 'settled' },
        // The cache may never receive the reason to keep the token, nor the end of that reason, so the key is
        // requeued.
        { guard: 'the token is needed', target: 'requeue', actions: 'observeAgain' },
        { guard: 'the period is not over', target: 'requeue', actions: 'wait' },
        { guard: 'the token is unused but not marked', target: 'marking' },
        { target: 'deleting' },
      ],
    },
    marking: effectState({
      src: 'mark',
      input: ({ context }) => tokenOf(context),
      // The mark changes the Secret, whose event enqueues the key.
      onDone: [changed, { target: 'settled' }],
    }),
    deleting: effectState({
      src: 'deleteSecret',
      input: ({ context }) => tokenOf(context),
      onDone: [changed, { target: 'settled' }],
    }),
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
