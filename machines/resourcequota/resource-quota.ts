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
import { type Amounts, type Count, type ObservedQuota, type QuotaPlan, planQuota } from './plan.ts';

/** Input of the effect that counts the usage of a quota. */
export interface CountInput {
  readonly key: string;
  readonly uid: string;
}

/** Input of the effect that writes the status of a quota. */
export interface WriteInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly hard: Amounts;
  readonly used: Amounts;
}

interface Context extends ReconcileInput {
  readonly found: ObservedQuota | undefined;
  readonly plan: QuotaPlan | undefined;
  readonly output: ReconcileOutput;
}

const failure = { target: 'failed', actions: 'fail' } as const;

/**
 * Counts the objects that a quota limits and writes the result to its status. The key is the quota's.
 *
 *     observing → counting → deciding → writing → finishing → settled
 *                                     ↘ finishing ↗         ↘ requeue (when recent charges have settled)
 */
export const resourceQuotaMachine = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<ObservedQuota | null, { readonly key: string }>('observe'),
    count: unprovided<Count, CountInput>('count'),
    write: unprovided<void, WriteInput>('write'),
  },
  guards: {
    isGone: ({ context }) => context.found === undefined,
    isCurrent: ({ context }) => context.plan?.isCurrent === true,
    comesAgain: ({ context }) => context.plan?.againInMs !== undefined,
  },
  actions: {
    wait: assign({
      output: ({ context }) => requeue(context.plan?.againInMs ?? 0, 'recent charges'),
    }),
    fail: assign({ output: ({ event }) => failed(errorText(event)) }),
  },
  delays: reconcileDelays,
}).createMachine({
  id: 'resourcequota',
  context: ({ input }) => ({ found: undefined, plan: undefined, output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: {
      invoke: {
        id: 'observe',
        src: 'observe',
        input: ({ context }) => ({ key: context.key }),
        onDone: { target: 'observed', actions: assign({ found: ({ event }) => event.output ?? undefined }) },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    observed: { always: [{ guard: 'isGone', target: 'settled' }, { target: 'counting' }] },
    counting: {
      invoke: {
        id: 'count',
        src: 'count',
        input: ({ context }) => ({ key: context.key, uid: context.found?.uid ?? '' }),
        onDone: {
          target: 'deciding',
          actions: assign({
            plan: ({ context, event }) => context.found && planQuota(context.found, event.output),
          }),
        },
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    deciding: { always: [{ guard: 'isCurrent', target: 'finishing' }, { target: 'writing' }] },
    writing: {
      invoke: {
        id: 'write',
        src: 'write',
        input: ({ context: { key, found, plan } }) => ({
          key,
          uid: found?.uid ?? '',
          resourceVersion: found?.resourceVersion ?? '',
          hard: plan?.hard ?? {},
          used: plan?.used ?? {},
        }),
        onDone: 'finishing',
        onError: failure,
      },
      after: { effectTimeout: failure },
    },
    finishing: {
      always: [{ guard: 'comesAgain', target: 'requeue', actions: 'wait' }, { target: 'settled' }],
    },
    settled: { type: 'final' },
    requeue: { type: 'final' },
    failed: { type: 'final' },
  },
});
